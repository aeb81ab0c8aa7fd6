import { sortAscending } from './ascending.ts'
import { deviations, halfWidth } from './batch-means.ts'
import { type Bins, createBins } from './bins.ts'
import { CELLS } from './cells.ts'
import { countedDistribution } from './gap-counts.ts'
import { MOST_SAMPLES } from './long-samples.ts'
import type { BatchInterval } from './run.ts'
import { mean, percentile } from './statistics.ts'
import type { Distribution } from './summary.ts'

/** Samples that know when their request began. Beyond a million, intervals are told from every second one, every fourth, and so on. */
export interface PlacedSamples extends Distribution {
  push(value: number, sentUs: number): void
  /**
   * The 95 % interval of a percentile, after R. S. Woodruff, "Confidence intervals for medians and other position measures" (1952): at
   * the percentile's value q, batch means tell how sure the share of samples up to q is; the percentiles at both ends of that share are
   * the interval.
   *
   *     share ≤ q   0.5 ± h   →   from percentile 0.5 − h to percentile 0.5 + h
   *
   * So no batch needs a percentile of its own. Undefined where an end lies outside the sample: 100 requests bound no p99.
   */
  interval(p: number, cellOf: (instantUs: number) => number): BatchInterval | undefined
}

export function createPlacedSamples(most: number = MOST_SAMPLES): PlacedSamples {
  const placed = createPairs(most)
  /** Of all of them, once not all are kept. */
  let bins: Bins | undefined
  let size = 0
  let largest = 0
  let read: Distribution | undefined
  let places: Places | undefined

  /** All intervals of a sample ask for the same ones. */
  const placesBy = (cellOf: Places['cellOf']): Places => {
    if (places?.cellOf === cellOf) return places
    const { sentUs, size: kept } = placed.kept()
    const cells = new Uint8Array(kept)
    const counts = new Float64Array(CELLS)
    for (let at = 0; at < kept; at++) {
      const cell = cellOf(sentUs[at] ?? 0)
      cells[at] = cell
      counts[cell] = (counts[cell] ?? 0) + 1
    }
    places = { cellOf, cells, counts }
    return places
  }
  const all = (): Distribution => {
    if (read !== undefined) return read
    if (bins !== undefined) {
      read = countedDistribution(bins.counted())
    } else {
      const sorted = placed.kept().values.slice(0, size)
      sortAscending(sorted)
      read = { mean: () => mean(sorted), percentile: (p) => percentile(sorted, p) }
    }
    return read
  }
  const at = (p: number): number | undefined => (bins !== undefined && p === 100 ? largest : all().percentile(p))

  return {
    push: (value, sentUs) => {
      read = undefined
      places = undefined
      size += 1
      if (value > largest) largest = value
      if (size === most + 1) {
        bins = createBins()
        for (const kept of placed.kept().values.subarray(0, most)) bins.add(kept, 1)
      }
      bins?.add(value, 1)
      placed.push(value, sentUs)
    },
    mean: () => all().mean(),
    percentile: at,
    interval: (p, cellOf) => {
      const limit = at(p)
      if (limit === undefined) return undefined
      const below = new Float64Array(CELLS)
      const { values, size: kept } = placed.kept()
      const { cells, counts } = placesBy(cellOf)
      let isBelow = 0
      for (let at = 0; at < kept; at++) {
        const cell = cells[at] ?? 0
        if ((values[at] ?? 0) > limit) continue
        below[cell] = (below[cell] ?? 0) + 1
        isBelow += 1
      }
      const off = deviations(below, counts)
      const half = off && halfWidth(off, counts)
      if (half === undefined) return undefined
      const share = isBelow / kept
      const [from, to] = [p - 100 * half.share * share, p + 100 * half.share * share]
      const [low, high] = [at(from), at(to)]
      if (from < 0 || to > 100 || low === undefined || high === undefined) return undefined
      return { low, high, batches: half.batches }
    },
  }
}

/** Of those that are kept, the cell of each, and how many lie in each cell. */
interface Places {
  readonly cellOf: (instantUs: number) => number
  readonly cells: Uint8Array
  readonly counts: Float64Array
}

interface Pairs {
  push(value: number, sentUs: number): void
  kept(): { readonly values: Float64Array; readonly sentUs: Float64Array; readonly size: number }
}

/** A point has a thousand or two: so they are seldom moved. */
const FIRST = 2048

/** Up to `most` pairs; when they are full every second one goes, and from then on only as many come. */
function createPairs(most: number): Pairs {
  let values = new Float64Array(FIRST)
  let sentUs = new Float64Array(FIRST)
  let size = 0
  let every = 1
  let skip = 0

  const thin = (): void => {
    size = size >> 1
    for (let at = 0; at < size; at++) {
      values[at] = values[2 * at] ?? 0
      sentUs[at] = sentUs[2 * at] ?? 0
    }
    every *= 2
    skip = 0
  }

  return {
    push: (value, us) => {
      skip -= 1
      if (skip >= 0) return
      if (size === most) thin()
      skip = every - 1
      if (size === values.length) {
        values = doubled(values)
        sentUs = doubled(sentUs)
      }
      values[size] = value
      sentUs[size++] = us
    },
    kept: () => ({ values, sentUs, size }),
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(2 * values.length)
  grown.set(values)
  return grown
}
