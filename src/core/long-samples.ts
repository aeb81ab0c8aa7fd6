import { type Bins, createBins } from './bins.ts'
import { countedDistribution } from './gap-counts.ts'
import { createSamples } from './samples.ts'
import type { Distribution } from './summary.ts'

/** So many numbers are kept as they are: 8 MiB. */
export const MOST_SAMPLES: number = 2 ** 20

/** A sample of any size in bounded memory: up to `most` numbers exact, and with one more in bins of 0.05 %, its mean still exact. */
export interface LongSamples extends Distribution {
  /** 0 or more. */
  push(value: number): void
}

export function createLongSamples(most: number = MOST_SAMPLES): LongSamples {
  let exact = createSamples()
  let bins: Bins | undefined
  let [size, largest] = [0, 0]
  const read = (): Distribution => (bins === undefined ? exact : countedDistribution(bins.counted()))
  return {
    push: (value) => {
      size += 1
      if (value > largest) largest = value
      if (bins === undefined && size > most) {
        bins = createBins()
        for (const kept of exact.sorted()) bins.add(kept, 1)
        exact = createSamples()
      }
      if (bins === undefined) exact.push(value)
      else bins.add(value, 1)
    },
    mean: () => read().mean(),
    percentile: (p) => (bins !== undefined && p === 100 ? largest : read().percentile(p)),
  }
}
