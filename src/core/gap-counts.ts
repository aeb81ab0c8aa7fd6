import { betweenRanks } from './statistics.ts'
import type { Distribution } from './summary.ts'

/**
 * The exact multiset of whole-microsecond gaps, at a size that does not grow with the number of tokens.
 *
 *     page       0         1         2         …    one for each 4096 µs of gap
 *     few gaps   [90 12]             [8200]         kept as they are: a stray long gap costs 8 bytes
 *     many       3 0 0 7 …           …              from 4096 on, one counter per microsecond, 32 KiB
 */
export interface GapCounts {
  add(gapUs: number): void
  counted(): Counted
}

/** Distinct values, ascending, and how often each came. */
export interface Counted {
  readonly values: readonly number[]
  readonly counts: readonly number[]
}

const PAGE_US = 2 ** 12

export function createGapCounts(): GapCounts {
  const counters: Float64Array[] = []
  const lists: number[][] = []

  const list = (page: number, gapUs: number): void => {
    const gaps = lists[page] ?? []
    lists[page] = gaps
    if (gaps.push(gapUs) < PAGE_US) return
    const counts = new Float64Array(PAGE_US)
    for (const gap of gaps) counts[gap % PAGE_US] = (counts[gap % PAGE_US] ?? 0) + 1
    counters[page] = counts
    lists[page] = []
  }

  return {
    add: (gapUs) => {
      const page = Math.floor(gapUs / PAGE_US)
      const counts = counters[page]
      if (counts === undefined) list(page, gapUs)
      else counts[gapUs % PAGE_US] = (counts[gapUs % PAGE_US] ?? 0) + 1
    },
    counted: () => {
      const tally = createTally()
      for (let page = 0; page < Math.max(counters.length, lists.length); page++) {
        for (const [offset, count] of counters[page]?.entries() ?? []) tally.add(page * PAGE_US + offset, count)
        for (const gap of lists[page]?.sort((a, b) => a - b) ?? []) tally.add(gap, 1)
      }
      return tally
    },
  }
}

/** Several multisets as one. */
export function union(parts: readonly Counted[]): Counted {
  const filled = parts.filter(({ values }) => values.length > 0)
  if (filled.length === 1 && filled[0] !== undefined) return filled[0]
  const pairs = filled.flatMap(({ values, counts }) => values.map((value, at) => [value, counts[at] ?? 0] as const))
  const tally = createTally()
  for (const [value, count] of pairs.sort(([a], [b]) => a - b)) tally.add(value, count)
  return tally
}

/** Takes values in ascending order; equal ones become one. */
function createTally(): Counted & { add(value: number, count: number): void } {
  const values: number[] = []
  const counts: number[] = []
  return {
    values,
    counts,
    add: (value, count) => {
      if (count === 0) return
      if (values.at(-1) !== value) {
        values.push(value)
        counts.push(0)
      }
      counts[counts.length - 1] = (counts.at(-1) ?? 0) + count
    },
  }
}

export function countedDistribution({ values, counts }: Counted): Distribution {
  let size = 0
  let sum = 0
  /** How many there are up to each value. */
  const upTo = new Float64Array(counts.length)
  for (let at = 0; at < counts.length; at++) {
    size += counts[at] ?? 0
    sum += (values[at] ?? 0) * (counts[at] ?? 0)
    upTo[at] = size
  }
  const at = (rank: number): number | undefined => {
    let low = 0
    let high = counts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] ?? 0) > rank) high = middle
      else low = middle + 1
    }
    return values[low]
  }
  return {
    mean: () => (size === 0 ? undefined : sum / size),
    percentile: (p) => (size === 0 ? undefined : betweenRanks((p * (size - 1)) / 100, at)),
  }
}
