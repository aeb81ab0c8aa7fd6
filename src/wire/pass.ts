/** To the quote that closes a JSON string; −1 where it is not valid, or not all there. Bytes beyond ASCII may be anything: decoding mends them. */
export function passString(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end) {
    const byte = bytes[at] ?? 0
    if (byte === 34) return at
    if (byte < 32) return -1
    if (byte === 92) {
      at = passEscape(bytes, at, end)
      if (at < 0) return -1
    } else {
      at++
    }
  }
  return -1
}

function passEscape(bytes: Uint8Array, from: number, end: number): number {
  switch (bytes[from + 1]) {
    case 34: // " \\ / b f n r t
    case 92:
    case 47:
    case 98:
    case 102:
    case 110:
    case 114:
    case 116:
      return from + 2
    case 117: // u and four hexadecimal digits
      if (from + 6 > end) return -1
      for (let i = from + 2; i < from + 6; i++) if (!isHex(bytes[i] ?? 0)) return -1
      return from + 6
    default:
      return -1
  }
}

const isHex = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102)

/** To the first byte that is no digit. */
export function passDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && (bytes[at] ?? 0) >= 48 && (bytes[at] ?? 0) <= 57) at++
  return at
}

/** A JSON number: -? (0 | [1-9] digits) (. digits)? ([eE] [+-]? digits)? */
export function passNumber(bytes: Uint8Array, from: number, end: number): number {
  const first = bytes[from] === 45 ? from + 1 : from
  let at = passDigits(bytes, first, end)
  if (at === first || (bytes[first] === 48 && at - first > 1)) return -1
  if (at < end && bytes[at] === 46) {
    const fraction = at + 1
    at = passDigits(bytes, fraction, end)
    if (at === fraction) return -1
  }
  if (at < end && (bytes[at] === 69 || bytes[at] === 101)) {
    let exponent = at + 1
    if (bytes[exponent] === 43 || bytes[exponent] === 45) exponent++
    at = passDigits(bytes, exponent, end)
    if (at === exponent) return -1
  }
  return at
}
