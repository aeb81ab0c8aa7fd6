import type { Counted } from './gap-counts.ts'

/**
 * Numbers, each with how often it came, in bins of at most 0.05 % width: the first 11 binary digits of a number after its leading one, and
 * its exponent, are its bin.
 *
 *     bin    …   1.00000…  1.00049…  1.00098…  …      2^11 of them up to the double
 *
 * A bin is told by the mean of what fell into it, so that means are exact, and so is what is always the same. Size: 48 KiB for
 * each doubling that was met.
 */
export interface Bins {
  /** A number of 0 or more. */
  add(value: number, count: number): void
  counted(): Counted
}

const DIGITS = 11
const BINS = 2 ** DIGITS
const EXPONENTS = 2 ** 11

interface Doubling {
  /** What first fell into each bin, and by how much all that did lies above it. */
  readonly firsts: Float64Array
  readonly above: Float64Array
  readonly counts: Float64Array
}

export function createBins(): Bins {
  // Of every exponent a place: a list that begins beyond its thousandth is kept as a table to look up in.
  const doublings = new Array<Doubling | undefined>(EXPONENTS)
  const value64 = new Float64Array(1)
  const words = new Uint32Array(value64.buffer)
  // Which half of a number holds its exponent.
  value64[0] = 1
  const high = words[1] === 0 ? 0 : 1

  return {
    add: (value, count) => {
      value64[0] = value
      const key = (words[high] ?? 0) >>> (20 - DIGITS)
      const exponent = key >>> DIGITS
      let doubling = doublings[exponent]
      if (doubling === undefined) {
        doubling = { firsts: new Float64Array(BINS), above: new Float64Array(BINS), counts: new Float64Array(BINS) }
        doublings[exponent] = doubling
      }
      const bin = key & (BINS - 1)
      const { firsts, above, counts } = doubling
      const before = counts[bin] ?? 0
      if (before === 0) firsts[bin] = value
      else above[bin] = (above[bin] ?? 0) + (value - (firsts[bin] ?? 0)) * count
      counts[bin] = before + count
    },
    counted: () => {
      const values: number[] = []
      const counts: number[] = []
      for (const doubling of doublings) {
        if (doubling === undefined) continue
        for (let bin = 0; bin < BINS; bin++) {
          const count = doubling.counts[bin] ?? 0
          if (count === 0) continue
          values.push((doubling.firsts[bin] ?? 0) + (doubling.above[bin] ?? 0) / count)
          counts.push(count)
        }
      }
      return { values, counts }
    },
  }
}
