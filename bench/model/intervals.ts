/** How often the intervals that come with an answer hold what was measured. */
import type { Pair } from './errors.ts'

export interface Bounded extends Pair {
  readonly low: number
  readonly high: number
}

export interface Coverage {
  readonly name: string
  readonly points: number
  /** How many points of 100 the answer says are inside, and how many are. */
  readonly promisedPct: number
  readonly insidePct: number
  readonly belowPct: number
  readonly abovePct: number
  /** Median of high ÷ low. */
  readonly width: number
}

export function coverageOf(name: string, promisedPct: number, points: readonly Bounded[]): Coverage {
  const share = (of: (point: Bounded) => boolean): number => (100 * points.filter(of).length) / points.length
  const belowPct = share(({ measured, low }) => measured < low)
  const abovePct = share(({ measured, high }) => measured > high)
  const widths = points.map(({ low, high }) => high / low).sort((a, b) => a - b)
  return {
    name,
    points: points.length,
    promisedPct,
    insidePct: 100 - belowPct - abovePct,
    belowPct,
    abovePct,
    width: widths[widths.length >> 1] ?? Number.NaN,
  }
}
