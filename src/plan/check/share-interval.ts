import { type Interval, t95 } from '../../core/index.ts'
import type { JudgedRun } from './judged-run.ts'

export interface SeenShare {
  readonly share: number
  readonly interval: Interval
  readonly requests: number
}

type Judged = Pick<JudgedRun, 'good' | 'margins'>

/** Batches of one run: as many as it went round, within these. */
const FEWEST = 4
const MOST = 16
const Z = 1.96

/**
 * The share of requests that were good, and Wilson's interval (1927), in which that of an endless run lies 19 times in 20. Requests
 * that are in a fleet together are good or not together, so that they say less than as many apart: as much as n of these, by the scatter of
 * batches that each took as long as a request stays,
 *
 *     n = p·(1 − p) / (variance of the mean · (t/z)²),    t for as many batches
 *
 * Where all were good no scatter of these says it. Then how alike those are that come together is seen by how far each was from missing, and
 * also that all were far.
 */
export function shareOf(runs: readonly Judged[], inFlight: number): SeenShare {
  const batches = runs.flatMap((run) => batchesOf(run, run.good.length / inFlight))
  const requests = sum(batches, ({ count }) => count)
  const share = sum(batches, ({ good }) => good) / requests
  const apart = (variance: number, of: (batch: Batch) => number): number => {
    const wide = varianceOfMean(batches, of) * (t95(batches.length - 1) / Z) ** 2
    // Of what is always the same: as many as went round one after the other.
    return Math.min(requests, wide > 0 && variance > 0 ? variance / wide : requests / Math.max(1, inFlight))
  }
  if (share < 1)
    return {
      share,
      interval: wilson(
        share,
        apart(share * (1 - share), ({ good }) => good),
      ),
      requests,
    }
  const margins = marginsOf(runs, batches)
  const { low } = wilson(
    share,
    apart(margins.variance, ({ margin }) => margin),
  )
  return { share, interval: { low: Math.max(low, 1 - missable(margins, batches)), high: 1 }, requests }
}

function wilson(share: number, count: number): Interval {
  const middle = (share + Z ** 2 / (2 * count)) / (1 + Z ** 2 / count)
  const half = (Z * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2))) / (1 + Z ** 2 / count)
  // Where all were good, or none, rounding must not leave the estimate out.
  return { low: Math.max(0, Math.min(share, middle - half)), high: Math.min(1, Math.max(share, middle + half)) }
}

/**
 * The most that may miss though none was seen to, by how far all were from it. Whatever the distribution of a margin of mean m and variance s²
 * (F. P. Cantelli, 1928),
 *
 *     P(margin ≤ 0) ≤ s² / (s² + m²)
 *
 * with the least m and the greatest s² that so many batches allow 19 times in 20; and never less than 3 in as many requests, the rule of three.
 */
function missable({ mean, variance, requests }: Margins, batches: readonly Batch[]): number {
  const freedom = batches.length - 1
  const greatest = variance * (freedom / lowChiSquare(freedom))
  const least = mean - t95(freedom) * Math.sqrt(varianceOfMean(batches, ({ margin }) => margin))
  if (least <= 0) return 1
  return Math.max(greatest / (greatest + least ** 2), 3 / requests)
}

interface Margins {
  readonly mean: number
  readonly variance: number
  readonly requests: number
}

function marginsOf(runs: readonly Judged[], batches: readonly Batch[]): Margins {
  const requests = sum(batches, ({ count }) => count)
  const mean = sum(batches, ({ margin }) => margin) / requests
  const squares = sum(runs, ({ margins }) => margins.reduce((all, margin) => all + (margin - mean) ** 2, 0))
  return { mean, variance: squares / requests, requests }
}

/** What chi-square falls below one time in twenty, by E. B. Wilson and M. M. Hilferty's cube (1931). */
function lowChiSquare(freedom: number): number {
  const ninth = 2 / (9 * freedom)
  return freedom * (1 - ninth - 1.645 * Math.sqrt(ninth)) ** 3
}

/** Sums over requests that came one after another. */
interface Batch {
  readonly count: number
  readonly good: number
  readonly margin: number
}

function batchesOf({ good, margins }: Judged, rounds: number): readonly Batch[] {
  const length = Math.min(MOST, Math.max(FEWEST, Math.floor(rounds)))
  return Array.from({ length }, (_, i) => {
    const [from, to] = [Math.floor((i * good.length) / length), Math.floor(((i + 1) * good.length) / length)]
    const add = (all: number, one: number): number => all + one
    return {
      count: to - from,
      good: good.subarray(from, to).reduce(add, 0),
      margin: margins.subarray(from, to).reduce(add, 0),
    }
  })
}

/** Of the mean over all requests, by how far each batch is from it. */
function varianceOfMean(batches: readonly Batch[], of: (batch: Batch) => number): number {
  const requests = sum(batches, ({ count }) => count)
  const mean = sum(batches, of) / requests
  const scatter = sum(batches, (batch) => (of(batch) - mean * batch.count) ** 2)
  return (scatter / requests ** 2) * (batches.length / (batches.length - 1))
}

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0)
