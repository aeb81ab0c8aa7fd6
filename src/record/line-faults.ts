import { MOST_TOKENS, TwospeedError } from '../core/index.ts'

/** What is wrong with a file of work, gathered so that all of it is told at once. */
export interface LineFaults {
  /** `where` such as `line 3, timestamp`. */
  add(where: string, problem: string): void
  any(): boolean
  /** Throws INVALID_WORK with every problem, the same one of several lines by its first line and their number; nothing where there is none. */
  settle(): void
}

interface Fault {
  readonly where: string
  readonly problem: string
  others: number
}

const SHOWN = 10

export function createLineFaults(what: string, hint: string): LineFaults {
  /** By the problem and the column it is in. */
  const shown = new Map<string, Fault>()
  let more = 0
  return {
    add(where, problem) {
      const key = `${where.replace(/^\w+ \d+/, '')}: ${problem}`
      const same = shown.get(key)
      if (same !== undefined) same.others++
      else if (shown.size < SHOWN) shown.set(key, { where, problem, others: 0 })
      else more++
    },
    any: () => shown.size > 0,
    settle() {
      if (shown.size === 0) return
      const faults = Array.from(shown.values(), textOf).join('; ')
      const problems = more > 0 ? `${faults}; and ${more} more` : faults
      throw new TwospeedError('INVALID_WORK', `${what}: ${problems}${problems.endsWith('?') ? '' : '.'}`, hint)
    },
  }
}

const textOf = ({ where, problem, others }: Fault): string =>
  `${where}: ${problem}${others === 0 ? '' : ` (and ${others} more like it)`}`

const LONGEST_QUOTE = 40

/** A value as it stands in the file, cut short. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
}

/** The lines that hold something, each with its number; a byte-order mark and line ends are taken off. */
export function* numberedLines(lines: Iterable<string>): Generator<{ readonly number: number; readonly text: string }> {
  let number = 0
  for (const line of lines) {
    number++
    const text = (number === 1 ? line.replace(/^\uFEFF/, '') : line).trim()
    if (text !== '') yield { number, text }
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that a line holds; where it is none, that is a fault. */
export function objectIn(
  text: string,
  where: string,
  faults: LineFaults,
): Readonly<Record<string, unknown>> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    faults.add(where, 'it is not JSON')
    return undefined
  }
  if (isObject(value)) return value
  faults.add(where, 'it is not an object')
  return undefined
}

export const isTokens = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_TOKENS

/** The number that a cell of plain digits holds; NaN for any other. */
export const digitsIn = (cell: string): number => (/^\d{1,15}$/.test(cell) ? Number(cell) : Number.NaN)

export const NO_TOKENS: string = `is no whole number of tokens from 1 to ${MOST_TOKENS}`
