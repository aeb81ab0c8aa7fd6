export type Redact = (text: string) => string

const MASK = '[redacted]'
/** The shortest piece of a key that is blanked on its own: servers echo keys cut off or masked in the middle. */
const PIECE = 8

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A word like others, short or of letters alone: part of many a text that has nothing to do with it. */
const isWord = (secret: string): boolean => secret.length < 4 || /^\p{L}{1,7}$/u.test(secret)

/** The secret, and of `Bearer key` the key alone too. */
const partsOf = (secret: string): readonly string[] => [secret, ...secret.split(/\s+/).slice(1)]

/** A secret as it may come back: as it is, percent-encoded, in base64, inside JSON. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64')
  return [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, ''), JSON.stringify(secret).slice(1, -1)]
}

/** Long and mixed, so random: then a piece of it says something. `application/json` is no such thing. */
const looksRandom = (secret: string): boolean => secret.length >= 2 * PIECE && /\d/.test(secret) && !/\s/.test(secret)

/** Blanks every run of PIECE or more characters that also stands in a secret. */
function blankPieces(text: string, pieces: ReadonlySet<string>): string {
  let out = ''
  let kept = 0
  for (let at = 0; at + PIECE <= text.length; at++) {
    if (!pieces.has(text.slice(at, at + PIECE))) continue
    let end = at + PIECE
    while (end < text.length && pieces.has(text.slice(end - PIECE + 1, end + 1))) end++
    out += text.slice(kept, at) + MASK
    kept = end
    at = end - 1
  }
  return out + text.slice(kept)
}

const CUT = /\*{2,}|\.{3,}|…|x{4,}/

/** `sk-12***ab` and `sk-12...ab`: what a server shows of a key that it has masked itself. */
function blankMasked(text: string, secrets: readonly string[]): string {
  return text.replace(/[^\s"'`,;()<>]+/g, (word) => {
    const [head = '', tail] = word.split(CUT)
    if (tail === undefined) return word
    const end = tail.replace(/[.:]$/, '')
    const shows = (secret: string): boolean =>
      (head.length >= 2 && secret.startsWith(head)) || (end.length >= 2 && secret.endsWith(end))
    return secrets.some(shows) ? MASK : word
  })
}

/**
 * Everything that is stored or printed passes through this: it blanks the secrets, whole in any usual encoding, and of keys every piece of
 * eight characters and what a server has masked itself. A secret that is a word like others (a user called "user") is blanked only where
 * it stands as a word, and nothing is blanked in the bodies that are sent: they are stored to be sent again.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const parts = [...new Set(secrets.flatMap(partsOf))].filter((part) => part !== '')
  const forms = [...new Set(parts.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  if (forms.length === 0) return (text) => text
  const whole = new RegExp(
    forms.map((form) => (isWord(form) ? `(?<![\\w-])${literal(form)}(?![\\w-])` : literal(form))).join('|'),
    'g',
  )
  const random = parts.filter(looksRandom).flatMap(formsOf)
  const pieces = new Set<string>()
  for (const form of random) {
    for (let at = 0; at + PIECE <= form.length; at++) pieces.add(form.slice(at, at + PIECE))
  }
  return (text) => blankMasked(blankPieces(text.replace(whole, MASK), pieces), random)
}
