import { deviations, halfWidth } from './batch-means.ts'
import { CELLS } from './cells.ts'
import type { BatchInterval } from './run.ts'
import { createSamples } from './samples.ts'
import type { Distribution } from './summary.ts'

/** Samples that know in which cell of the window their request began. */
export interface PlacedSamples extends Distribution {
  push(value: number, cell: number): void
  /**
   * The 95 % interval of a percentile, after R. S. Woodruff, "Confidence intervals for medians and other position measures" (1952): at
   * the percentile's value q, batch means tell how sure the share of samples up to q is; the percentiles at both ends of that share are
   * the interval.
   *
   *     share ≤ q   0.5 ± h   →   from percentile 0.5 − h to percentile 0.5 + h
   *
   * So no batch needs a percentile of its own. Undefined where an end lies outside the sample: 100 requests bound no p99.
   */
  interval(p: number): BatchInterval | undefined
}

export function createPlacedSamples(): PlacedSamples {
  const all = createSamples()
  const inCell = Array.from({ length: CELLS }, createSamples)
  return {
    push: (value, cell) => {
      all.push(value)
      inCell[cell]?.push(value)
    },
    mean: all.mean,
    percentile: all.percentile,
    interval: (p) => {
      const limit = all.percentile(p)
      if (limit === undefined) return undefined
      const counts = inCell.map((samples) => samples.sorted().length)
      const below = inCell.map((samples) => samples.sorted().filter((value) => value <= limit).length)
      const off = deviations(below, counts)
      const half = off && halfWidth(off, counts)
      if (half === undefined) return undefined
      const share = below.reduce((sum, count) => sum + count, 0) / all.sorted().length
      const [from, to] = [p - 100 * half.share * share, p + 100 * half.share * share]
      const [low, high] = [all.percentile(from), all.percentile(to)]
      if (from < 0 || to > 100 || low === undefined || high === undefined) return undefined
      return { low, high, batches: half.batches }
    },
  }
}
