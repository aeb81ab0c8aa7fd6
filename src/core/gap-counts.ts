import { betweenRanks } from './statistics.ts'
import type { Distribution } from './summary.ts'

/**
 * Below this, one counter per microsecond (2 MiB at most); longer gaps are counted by value. Exact like the list of all gaps, at a size
 * that does not grow with the number of tokens.
 */
const DENSE_US = 2 ** 18

/** So many samples of one value. */
export interface Counted {
  readonly value: number
  readonly count: number
}

/** The exact multiset of whole-microsecond gaps. */
export interface GapCounts {
  add(gapUs: number): void
  /** Each distinct gap and how often it came, in no order. */
  counted(): Counted[]
}

export function createGapCounts(): GapCounts {
  let counts = new Float64Array(2 ** 12)
  const long = new Map<number, number>()
  return {
    add: (gapUs) => {
      if (gapUs >= DENSE_US) {
        long.set(gapUs, (long.get(gapUs) ?? 0) + 1)
        return
      }
      if (gapUs >= counts.length) {
        const grown = new Float64Array(2 ** Math.ceil(Math.log2(gapUs + 1)))
        grown.set(counts)
        counts = grown
      }
      counts[gapUs] = (counts[gapUs] ?? 0) + 1
    },
    counted: () => {
      const entries: Counted[] = []
      for (let value = 0; value < counts.length; value++) {
        const count = counts[value] ?? 0
        if (count > 0) entries.push({ value, count })
      }
      for (const [value, count] of long) entries.push({ value, count })
      return entries
    },
  }
}

/** The distribution of counted values, in whatever order they come. */
export function countedDistribution(entries: readonly Counted[]): Distribution {
  // Equal values that come of different gaps (80 over 4, 20 over 1) are put in order too, so that the sum is always the same.
  const ascending = [...entries].sort((a, b) => a.value - b.value || a.count - b.count)
  let size = 0
  let sum = 0
  for (const { value, count } of ascending) {
    size += count
    sum += value * count
  }
  const at = (rank: number): number | undefined => {
    let seen = 0
    for (const { value, count } of ascending) {
      seen += count
      if (seen > rank) return value
    }
    return undefined
  }
  return {
    mean: () => (size === 0 ? undefined : sum / size),
    percentile: (p) => (size === 0 ? undefined : betweenRanks((p * (size - 1)) / 100, at)),
  }
}
