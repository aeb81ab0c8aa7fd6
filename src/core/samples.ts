import { sortAscending } from './ascending.ts'
import { mean, percentile } from './statistics.ts'
import type { Distribution } from './summary.ts'

/** One number a request, 8 bytes each. The order of the pushes changes no result: all of them are read from the sorted sample. */
export interface Samples extends Distribution {
  push(value: number): void
  /** The sample in ascending order; valid until the next push. */
  sorted(): Float64Array
}

export function createSamples(): Samples {
  let values = new Float64Array(256)
  let size = 0
  let inOrder = true
  const sorted = (): Float64Array => {
    const used = values.subarray(0, size)
    if (!inOrder) sortAscending(used)
    inOrder = true
    return used
  }
  return {
    push: (value) => {
      if (size === values.length) {
        const grown = new Float64Array(2 * size)
        grown.set(values)
        values = grown
      }
      values[size++] = value
      inOrder = false
    },
    sorted,
    mean: () => mean(sorted()),
    percentile: (p) => percentile(sorted(), p),
  }
}
