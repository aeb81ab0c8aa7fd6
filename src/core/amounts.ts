import { TwospeedError } from './errors.ts'

/** What a number may be. */
interface Range {
  readonly least: number
  readonly most: number
  readonly whole?: true
}

/** A number that a caller gave, by the name it goes by; undefined where none was given. */
export type Amount = readonly [name: string, value: number | undefined, range: Range]

/** So wide that only a slip is outside, so narrow that no quotient of two of them leaves the numbers. */
export const RANGES: Readonly<
  Record<'tokens' | 'inFlight' | 'tokensPerSecond' | 'measured' | 'milliseconds' | 'price' | 'count', Range>
> = {
  tokens: { least: 1, most: 1e9 },
  inFlight: { least: 1e-6, most: 1e9 },
  tokensPerSecond: { least: 1e-9, most: 1e12 },
  /** Whatever anybody measured, in whatever unit of ours. */
  measured: { least: 1e-30, most: 1e30 },
  milliseconds: { least: 0, most: 1e12 },
  price: { least: 0, most: 1e6 },
  count: { least: 1, most: 1e6, whole: true },
}

/** The doors of the library: flags and files are read by parsers that let no NaN in, and callers in code have none. Names all at once. */
export function checkAmounts(amounts: readonly Amount[]): void {
  const wrong = amounts.filter(([, value, range]) => value !== undefined && !isWithin(value, range))
  if (wrong.length === 0) return
  throw new TwospeedError(
    'INVALID_VALUE',
    wrong.map(([name, value, range]) => `${name} is ${value}, and takes ${wordsOf(range)}`).join('; '),
    'Numbers beyond that are slips.',
  )
}

export function isWithin(value: number, { least, most, whole }: Range): boolean {
  return Number.isFinite(value) && value >= least && value <= most && (whole === undefined || Number.isInteger(value))
}

function wordsOf({ least, most, whole }: Range): string {
  return `a ${whole ? 'whole ' : ''}number from ${least} to ${most}`
}
