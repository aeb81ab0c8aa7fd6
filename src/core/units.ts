const SECONDS_PER: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, min: 60, h: 3600, d: 86_400 }

/**
 * Parses `30s`, `500ms`, `10m`, `1.5h` into seconds; undefined when the text is no duration or has no unit. One time unit inside, the
 * second: milliseconds and microseconds exist only in names that end in `Ms` and `Us`.
 */
export function parseDuration(text: string): number | undefined {
  const [, value, unit = ''] = /^(\d+(?:\.\d+)?)(us|ms|s|m|min|h|d)$/.exec(text.trim()) ?? []
  const factor = SECONDS_PER[unit]
  return factor === undefined ? undefined : Number(value) * factor
}
