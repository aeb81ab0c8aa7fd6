import { createRandom } from '../../src/core/index.ts'

/** Normal noise of mean 0 and deviation 1; with `memory` each value keeps this share of the one before (a first-order autoregression). */
export function createNoise(seed: number | string, memory = 0): () => number {
  const { next } = createRandom(seed)
  // Box and Muller (1958); 1 − u is never 0.
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const fresh = Math.sqrt(1 - memory ** 2)
  let last = normal()
  return () => {
    last = memory * last + fresh * normal()
    return last
  }
}

/** In how many of so many seeds something holds, as a share. */
export function shareOf(seeds: number, holds: (seed: number) => boolean): number {
  let count = 0
  for (let seed = 0; seed < seeds; seed++) if (holds(seed)) count += 1
  return count / seeds
}
