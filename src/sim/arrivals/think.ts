import { createRandom, exponential } from '../../core/index.ts'

/** What a user lets pass between an answer and the next request; by default always the same. */
export interface ThinkPlan {
  readonly meanS: number
  readonly distribution?: 'constant' | 'exponential'
}

/** One pause after another, in seconds. From the same seed the same ones as `measure` makes. */
export function createPauses(think: ThinkPlan | undefined, seed: number | string): () => number {
  if (think === undefined) return () => 0
  const { meanS, distribution = 'constant' } = think
  const random = createRandom(`${seed}/think`)
  return () => (distribution === 'constant' ? meanS : meanS * exponential(random))
}
