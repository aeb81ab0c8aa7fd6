import type { Counted } from './gap-counts.ts'

/**
 * Numbers, each with how often it came, in bins of at most 0.05 % width: the first 11 binary digits of a number after its leading one, and
 * its exponent, are its bin.
 *
 *     bin    …   1.00000…  1.00049…  1.00098…  …      2^11 of them up to the double
 *
 * A bin is told by the mean of what fell into it, so that means are exact, and so is what is always the same. Size: 32 KiB for
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
/** What an exponent is kept above. */
const BIAS = 2 ** 10 - 1
const WIDTH = 2 * BINS

export function createBins(): Bins {
  // Of every exponent a place: a list that begins beyond its thousandth is kept as a table to look up in. Of each bin of a doubling, side by
  // side: by how much all that fell into it lies above its edge, and how often something did. Last comes how wide a bin is.
  const doublings = new Array<Float64Array | undefined>(EXPONENTS)
  const value64 = new Float64Array(1)
  const words = new Uint32Array(value64.buffer)
  // Which half of a number holds its exponent.
  value64[0] = 1
  const high = words[1] === 0 ? 0 : 1

  return {
    add: (value, count) => {
      value64[0] = value
      const key = (words[high] as number) >>> (20 - DIGITS)
      const exponent = key >>> DIGITS
      let doubling = doublings[exponent]
      if (doubling === undefined) {
        doubling = new Float64Array(2 * BINS + 1)
        doubling[WIDTH] = widthOf(exponent)
        doublings[exponent] = doubling
      }
      const bin = key & (BINS - 1)
      const edge = (doubling[WIDTH] as number) * (BINS + bin)
      doubling[2 * bin] = (doubling[2 * bin] as number) + (value - edge) * count
      doubling[2 * bin + 1] = (doubling[2 * bin + 1] as number) + count
    },
    counted: () => {
      const values: number[] = []
      const counts: number[] = []
      for (const doubling of doublings) {
        if (doubling === undefined) continue
        for (let bin = 0; bin < BINS; bin++) {
          const count = doubling[2 * bin + 1] as number
          if (count === 0) continue
          values.push((doubling[WIDTH] as number) * (BINS + bin) + (doubling[2 * bin] as number) / count)
          counts.push(count)
        }
      }
      return { values, counts }
    },
  }
}

/** Of the bins of numbers with this exponent; 0 of those so small that they have no leading one. */
const widthOf = (exponent: number): number => (exponent === 0 ? 0 : 2 ** (exponent - BIAS) / BINS)
