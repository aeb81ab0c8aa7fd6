import { shardsOf } from '../roofline/shards.ts'
import type { ModelShape } from './model-shape.ts'

/**
 * Parameters of a model from its shape: the weights of all its matrices on one GPU. Norms, biases, short convolutions and tables of
 * positions are left out (under 0.1 %), and so are towers that see or hear and layers that foretell a second token, which answering in
 * text does not use.
 */
export interface Parameters {
  readonly total: number
  /** What one token passes through: its experts alone, and the embedding only as the output matrix, for as input it is looked up. */
  readonly active: number
}

export function parametersOf(shape: ModelShape): Parameters {
  const weights = shardsOf(shape, { tp: 1, pp: 1, ep: 1, dp: 1 })
  const { all = 0, active = 0, layers = 0 } = shape.experts ?? {}
  const always = weights.projections + weights.feedForward + weights.besideExperts + weights.head
  return {
    total: always + weights.embedding + layers * all * weights.expert,
    active: always + layers * active * weights.expert,
  }
}
