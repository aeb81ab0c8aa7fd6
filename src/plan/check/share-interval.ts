import { type Interval, t95 } from '../../core/index.ts'

export interface SeenShare {
  readonly share: number
  readonly interval: Interval
  readonly requests: number
}

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
 */
export function shareOf(runs: readonly Uint8Array[], inFlight: number): SeenShare {
  const batches = runs.flatMap((good) => batchesOf(good, good.length / inFlight))
  const requests = batches.reduce((sum, batch) => sum + batch.count, 0)
  const good = batches.reduce((sum, batch) => sum + batch.good, 0)
  const share = good / requests
  const scatter = batches.reduce((sum, batch) => sum + (batch.good - share * batch.count) ** 2, 0)
  const variance = (scatter / requests ** 2) * (batches.length / (batches.length - 1))
  const wide = variance * (t95(batches.length - 1) / Z) ** 2
  // Where all were good, or none, no scatter says it: as many as went round one after the other.
  const apart = Math.min(requests, wide > 0 ? (share * (1 - share)) / wide : requests / Math.max(1, inFlight))
  return { share, interval: wilson(share, apart), requests }
}

function wilson(share: number, count: number): Interval {
  const middle = (share + Z ** 2 / (2 * count)) / (1 + Z ** 2 / count)
  const half = (Z * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2))) / (1 + Z ** 2 / count)
  // Where all were good, or none, rounding must not leave the estimate out.
  return { low: Math.max(0, Math.min(share, middle - half)), high: Math.min(1, Math.max(share, middle + half)) }
}

function batchesOf(good: Uint8Array, rounds: number): readonly { readonly count: number; readonly good: number }[] {
  const length = Math.min(MOST, Math.max(FEWEST, Math.floor(rounds)))
  return Array.from({ length }, (_, i) => {
    const part = good.subarray(Math.floor((i * good.length) / length), Math.floor(((i + 1) * good.length) / length))
    return { count: part.length, good: part.reduce((sum, one) => sum + one, 0) }
  })
}
