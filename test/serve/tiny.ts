import { RANDOM_MODEL, type RandomModel } from '../../src/serve/random-model.ts'

/** Small enough to take a millisecond a step, so that tests are about the engine and not about its arithmetic. */
export const TINY: RandomModel = {
  ...RANDOM_MODEL,
  embedding: 128,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  feedForward: 256,
  type: 'Q4_0',
}
