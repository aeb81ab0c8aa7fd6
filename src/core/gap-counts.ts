import { createSamples } from './samples.ts'
import { betweenRanks } from './statistics.ts'
import type { Distribution } from './summary.ts'

/**
 * Gaps shorter than this are counted, one counter per microsecond (8 MiB at most); the rare longer ones are kept one by one. Exact like
 * the list of all gaps, at a size that does not grow with the number of tokens.
 */
const COUNTED_US = 2 ** 20

/** So many samples of one value. */
export interface Counted {
  readonly value: number
  readonly count: number
}

/** The exact multiset of whole-microsecond gaps. */
export interface GapCounts {
  add(gapUs: number): void
  /** Each distinct gap, ascending. */
  counted(): Counted[]
}

export function createGapCounts(): GapCounts {
  let counts = new Float64Array(2 ** 12)
  const long = createSamples()
  return {
    add: (gapUs) => {
      if (gapUs >= COUNTED_US) return long.push(gapUs)
      if (gapUs >= counts.length) {
        const grown = new Float64Array(2 ** Math.ceil(Math.log2(gapUs + 1)))
        grown.set(counts)
        counts = grown
      }
      counts[gapUs] = (counts[gapUs] ?? 0) + 1
    },
    counted: () => {
      const entries: Counted[] = []
      counts.forEach((count, value) => {
        if (count > 0) entries.push({ value, count })
      })
      for (const value of long.sorted()) entries.push({ value, count: 1 })
      return entries
    },
  }
}

/** The distribution of counted values, in whatever order they come. */
export function countedDistribution(entries: readonly Counted[]): Distribution {
  const ascending = [...entries].sort((a, b) => a.value - b.value)
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
