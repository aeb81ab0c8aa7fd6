/**
 * Units as nominal types. One time unit inside, the second; milliseconds exist only in names that end in `Ms`, at an edge.
 * Arithmetic gives back a plain `number`, so every formula ends in one of these constructors: that is the place to look.
 */
declare const unit: unique symbol
type Unit<U extends string> = number & { readonly [unit]: U }

export type Seconds = Unit<'s'>
export type PerSecond = Unit<'1/s'>
export type TokensPerSecond = Unit<'tok/s'>

export const seconds = (value: number): Seconds => value as Seconds
export const perSecond = (value: number): PerSecond => value as PerSecond
export const tokensPerSecond = (value: number): TokensPerSecond => value as TokensPerSecond

const SECONDS_PER: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, min: 60, h: 3600, d: 86_400 }

/** Parses `30s`, `500ms`, `10m`, `1.5h` into seconds; undefined when the text is no duration or has no unit. */
export function parseDuration(text: string): Seconds | undefined {
  const match = /^(\d+(?:\.\d+)?)(us|ms|s|m|min|h|d)$/.exec(text.trim())
  const factor = match?.[2] === undefined ? undefined : SECONDS_PER[match[2]]
  return match === null || factor === undefined ? undefined : seconds(Number(match[1]) * factor)
}
