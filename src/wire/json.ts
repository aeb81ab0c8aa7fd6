/** A field of a parsed JSON value, if it is an object that has it. */
export function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined
}

/** A string with something in it. Text is not trimmed: a space or a newline is text. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false }

export function parseJson(source: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(source) }
  } catch {
    return { ok: false }
  }
}
