import type { EventSpan } from './sse.ts'

/**
 * The shape of an event: its bytes with holes in them where the values stand that may change without changing what the event means.
 *
 *   data: {"id":"‥","created":‥,"choices":[{"index":0,"delta":{"content":"‥"},"finish_reason":null}]}⏎⏎
 *                free        free                                            token
 *
 * An event that equals the literal bytes, and whose holes hold valid JSON (the token's a string that is not empty), parses to the same
 * tree but for those values, so it says the same. That is found out in one pass over its bytes, without decoding or parsing it.
 */
export interface Shape {
  /** The literal bytes before each hole, and those after the last. */
  readonly runs: readonly DataView[]
  readonly holes: readonly Hole[]
}

/** What may stand in a hole: any string, a string that is not empty, any number, or a count that is read. */
export type Hole = 'string' | 'token' | 'number' | 'input' | 'output'

const runOf = (values: readonly number[]): DataView => new DataView(Uint8Array.from(values).buffer)

/**
 * How the meaning of an event depends on a value: `fixed` in any way, `token` on whether it is an empty string, `input` and `output`
 * by its count, or by the values of its keys (of its items, for a list). A key that is not named is never looked at.
 */
export type Reading = 'fixed' | 'token' | 'input' | 'output' | 'number' | { readonly [key: string]: Reading }

const QUOTE = 34
const BACKSLASH = 92
const MAX_DEPTH = 32

/**
 * The shape of one event that was read whole, its data being a JSON object. Undefined where it has a key twice or
 * with an escape, or is nested deeply.
 */
export function shapeOf({ bytes, from, to, dataFrom, dataTo }: EventSpan, reading: Reading): Shape | undefined {
  const runs: DataView[] = []
  let literal: number[] = []
  const holes: Hole[] = []
  let at = dataFrom
  let isPlain = true

  const literally = (end: number): void => {
    while (at < end) literal.push(bytes[at++] ?? 0)
  }
  const hole = (kind: Hole, end: number): void => {
    runs.push(runOf(literal))
    literal = []
    holes.push(kind)
    at = end
  }
  const spaces = (): void => {
    let end = at
    while (end < dataTo && (bytes[end] ?? 0) <= 32) end++
    literally(end)
  }
  const stringEnd = (): number => {
    let end = at + 1
    while (end < dataTo && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1
    return end
  }
  const key = (): string => {
    const end = stringEnd()
    const name = String.fromCharCode(...bytes.subarray(at + 1, end))
    if (name.includes('\\')) isPlain = false
    literally(end + 1)
    spaces()
    literally(at + 1) // the colon
    spaces()
    return name
  }
  const string = (how: Reading | undefined): void => {
    const end = stringEnd()
    if (how === undefined || (how === 'token' && end > at + 1)) {
      literally(at + 1)
      hole(how === undefined ? 'string' : 'token', end)
    }
    literally(end + 1)
  }
  const scalar = (how: Reading | undefined): void => {
    let end = at
    while (end < dataTo && !isDelimiter(bytes[end] ?? 0)) end++
    const isNumber = (bytes[at] ?? 0) <= 57 // a digit or a minus; true, false and null are letters
    if (isNumber && how === undefined) hole('number', end)
    else if (isNumber && (how === 'input' || how === 'output' || how === 'number')) hole(how, end)
    literally(end)
  }
  const members = (close: number, member: () => void): void => {
    literally(at + 1)
    spaces()
    while (at < dataTo && bytes[at] !== close) {
      member()
      spaces()
      if (bytes[at] === 44) literally(at + 1)
      spaces()
    }
    literally(at + 1)
  }
  const value = (how: Reading | undefined, depth: number): void => {
    const first = bytes[at]
    if (depth === MAX_DEPTH) isPlain = false
    if (!isPlain) {
      literally(dataTo)
      return
    }
    const inner = typeof how === 'object' || how === undefined ? how : 'fixed'
    if (first === 123) {
      const names = new Set<string>()
      members(125, () => {
        const name = key()
        if (names.has(name)) isPlain = false
        names.add(name)
        value(typeof inner === 'object' ? (Object.hasOwn(inner, name) ? inner[name] : undefined) : inner, depth + 1)
      })
    } else if (first === 91) {
      members(93, () => value(inner, depth + 1))
    } else if (first === QUOTE) {
      string(how)
    } else {
      scalar(how)
    }
  }

  at = from
  literally(dataFrom)
  spaces()
  value(reading, 0)
  literally(to)
  return isPlain ? { runs: [...runs, runOf(literal)], holes } : undefined
}

/** What ends a number, true, false or null: a comma, a bracket, a blank. */
const isDelimiter = (byte: number): boolean => byte === 44 || byte === 93 || byte === 125 || byte <= 32
