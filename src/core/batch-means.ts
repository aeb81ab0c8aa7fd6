import { CELLS } from './cells.ts'
import type { BatchInterval } from './run.ts'
import { t95 } from './student.ts'

/** Cells of a window that make one batch: 30 batches at first, 10 at the least. */
export const BATCH_SIZES = [2, 3, 4, 5, 6] as const
const LEAST_BATCHES = CELLS / 6
/** One-sided 5 % of the normal distribution. */
const SIGNIFICANT = 1.645
/** A correlation about the values' own mean comes out too low: by some (1 + 3r)/n, after M. G. Kendall (1954). */
const BIAS = 2
/** What is left of the correlation at the longest batches is not believed beyond this: it would leave less than one free batch of ten. */
const MOST_CORRELATION = 0.9

/**
 * How far each cell was from the whole window's ratio R = Σ part / Σ whole, as a share of R and of a mean cell; their mean is 0. A rate
 * is tokens over time; a share, those of the samples that lie below a limit.
 *
 *     part     12 14 11 13 …      deviation = (part − R·whole) / (R · mean of whole)
 *     whole     5  5  5  5 …
 *
 * Undefined where there is nothing.
 */
export function deviations(part: ArrayLike<number>, whole: ArrayLike<number>): Float64Array | undefined {
  let [sum, of] = [0, 0]
  for (let cell = 0; cell < CELLS; cell++) {
    sum += part[cell] ?? 0
    of += whole[cell] ?? 0
  }
  if (!(sum > 0)) return undefined
  const off = new Float64Array(CELLS)
  for (let cell = 0; cell < CELLS; cell++) {
    off[cell] = (CELLS * (part[cell] ?? 0)) / sum - (CELLS * (whole[cell] ?? 0)) / of
  }
  return off
}

/** The means of so many cells each. */
export function batchesOf(cells: ArrayLike<number>, size: number): number[] {
  const means: number[] = []
  for (let cell = 0; cell < CELLS; ) {
    let sum = 0
    for (const end = cell + size; cell < end; cell++) sum += cells[cell] ?? 0
    means.push(sum / size)
  }
  return means
}

/** How alike neighbours are: the first autocorrelation of values whose mean is 0. */
export function correlationOf(values: readonly number[]): number {
  let [products, squares] = [0, 0]
  values.forEach((value, at) => {
    squares += value * value
    products += value * (values[at + 1] ?? 0)
  })
  return squares === 0 ? 0 : products / squares
}

export const isCorrelated = (correlation: number, batches: number): boolean =>
  correlation > SIGNIFICANT / Math.sqrt(batches)

/**
 * By what a standard error grows when neighbours are alike: √((1 + r)/(1 − r)), the long-run one of a first-order autoregression. It makes
 * up for what batches leave of the correlation; where neighbours are unlike each other nothing is taken off.
 */
export function inflation(correlation: number): number {
  const r = Math.min(Math.max(correlation, 0), MOST_CORRELATION)
  return Math.sqrt((1 + r) / (1 - r))
}

/** Half of the 95 % interval, as a share of the figure. */
interface HalfWidth {
  readonly share: number
  readonly batches: number
}

/**
 * The 95 % interval of a ratio by batch means (R. W. Conway, 1963): consecutive batches are nearly independent where each is long enough, so
 * their scatter tells that of the whole, by Student's t. From 30 batches on they are made longer while neighbours are alike.
 *
 * `filled` counts what there is to judge by in each cell; undefined where fewer than 10 batches hold anything.
 */
export function halfWidth(cells: ArrayLike<number>, filled: ArrayLike<number>): HalfWidth | undefined {
  let found: HalfWidth | undefined
  for (const size of BATCH_SIZES) {
    const means = batchesOf(cells, size)
    const batches = batchesOf(filled, size).filter((count) => count > 0).length
    if (batches < LEAST_BATCHES) continue
    const r = correlationOf(means) + BIAS / means.length
    const squares = means.reduce((sum, mean) => sum + mean * mean, 0)
    // Empty batches add nothing to the sum of squares, and tell nothing.
    const error = Math.sqrt((squares * batches) / (batches - 1)) / means.length
    found = { share: t95(batches - 1) * error * inflation(r), batches }
    if (!isCorrelated(r, means.length)) break
  }
  return found
}

/** The interval of a rate or a mean about its value. One that would reach 0 says that the figure is not known: then there is none. */
export function intervalAbout(value: number, half: HalfWidth | undefined): BatchInterval | undefined {
  if (half === undefined || half.share >= 1) return undefined
  return { low: value * (1 - half.share), high: value * (1 + half.share), batches: half.batches }
}
