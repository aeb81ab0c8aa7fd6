/** The gaps of a record as they stand in its line, and the offset after the bracket that ends them. */
export interface GapList {
  readonly gapsUs: readonly number[]
  readonly end: number
}

const ZERO = 0x30
const COMMA = 0x2c
const BRACKET = 0x5d
/** So many digits are exact whatever they are. */
const MOST_DIGITS = 15

/** Kept from call to call: what is given away is a copy of the length that it needs. */
const scratch: number[] = []

/**
 * Reads `20013,19987,…]` from `from` on: whole numbers without sign, blank or leading zero. Undefined where it is not of that form, which
 * JSON may still allow.
 */
export function readGapList(line: Uint8Array, from: number): GapList | undefined {
  let count = 0
  let value = 0
  let digits = 0
  for (let at = from; at < line.length; at++) {
    const byte = line[at] ?? 0
    const digit = byte - ZERO
    if (digit >= 0 && digit <= 9) {
      if (digits === MOST_DIGITS || (digits > 0 && value === 0)) return undefined
      value = 10 * value + digit
      digits += 1
      continue
    }
    const isList = digits > 0 || (byte === BRACKET && count === 0)
    if (!isList || (byte !== COMMA && byte !== BRACKET)) return undefined
    if (digits > 0) scratch[count++] = value
    if (byte === BRACKET) return { gapsUs: scratch.slice(0, count), end: at + 1 }
    value = 0
    digits = 0
  }
  return undefined
}
