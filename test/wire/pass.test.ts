import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passNumber, passString } from '../../src/wire/pass.ts'

/** Passes over text that has more behind it, as in a buffer that is used again and again. */
const pass = (over: typeof passNumber, text: string, behind: string): number => {
  const bytes = new TextEncoder().encode(text)
  const more = new TextEncoder().encode(behind)
  return over(Uint8Array.from([...bytes, ...more]), 0, bytes.length)
}

function parses(json: string): boolean {
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

const lengthOf = (text: string): number => new TextEncoder().encode(text).length

// JSON.parse is the judge of what may stand in an event.
describe('passing over JSON', () => {
  const behind = fc.constantFrom('', '"', '5', '.5', 'e5', '\\', 'ffff"')

  it('takes for a string what JSON does', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2 }),
      fc.constantFrom(
        '\\',
        '\\n',
        '\\"',
        '\\\\',
        '\\/',
        '\\u',
        '\\u00e9',
        '\\uD83E',
        '\\u12g4',
        '\\x',
        '\u0000',
        '\u001f',
        '\t',
        '\u007f',
        'é',
        '🧁',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), behind, (pieces, more) => {
        const body = pieces.join('')
        const end = pass(passString, `${body}"`, more)
        // A quote in the middle ends the string there: then what is before it must be one.
        const text = new TextDecoder().decode(new TextEncoder().encode(body).subarray(0, Math.max(0, end)))
        if (end >= 0) expect(parses(`"${text}"`)).toBe(true)
        if (parses(`"${body}"`)) expect(end).toBe(lengthOf(body))
        else expect(end).not.toBe(lengthOf(body))
        expect(pass(passString, body.replaceAll('"', ''), more)).toBe(-1)
      }),
      { numRuns: 5_000 },
    )
  })

  it('takes for a number what JSON does', () => {
    const piece = fc.constantFrom('0', '1', '9', '00', '12', '.', '-', '+', 'e', 'E', 'e-', 'E+', ' ', 'x')
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), behind, (pieces, more) => {
        const text = pieces.join('')
        const isNumber = /^[-\d]/.test(text) && !/[ x]/.test(text) && parses(text)
        expect(pass(passNumber, text, more) === text.length).toBe(isNumber)
      }),
      { numRuns: 5_000 },
    )
  })
})
