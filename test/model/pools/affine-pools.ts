import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import type { Link } from '../../../src/model/pools/link.ts'
import type { Pool } from '../../../src/model/pools/split.ts'
import { createSplitPools, type SplitPools } from '../../../src/model/pools/split-pools.ts'
import {
  type Configuration,
  createConfiguration,
  type Lengths,
  type StepModel,
} from '../../../src/model/roofline/index.ts'

/** T = base + perSequence·n + perPromptToken·P, in seconds. */
export interface AffineTimes {
  readonly base: number
  readonly perSequence: number
  readonly perPromptToken: number
}

export const TIMES: AffineTimes = { base: 0.005, perSequence: 0.00025, perPromptToken: 20e-6 }

const MODEL = findModel('Llama-3.1-8B')
const GPU = findAccelerator('h100-sxm')
/** So fast that it takes no time to speak of. */
const INSTANT: Link = { name: 'instant', bytesPerSecond: 1e18 }

export function affineModel(configuration: Configuration, times: AffineTimes): StepModel {
  return {
    configuration,
    arrivalSeconds: () => 0,
    waitFactor: () => 1,
    stepSeconds: ({ sequences, prefillTokens }) =>
      times.base + times.perSequence * sequences + times.perPromptToken * prefillTokens,
    parts: () => [],
    tally: () => undefined,
  }
}

interface AffineOptions {
  readonly prefill?: Pool
  readonly decode?: Pool
  readonly lengths?: Lengths
  readonly link?: Link
  readonly times?: AffineTimes
  readonly maxNumSeqs?: number
}

/** Pools whose steps follow a line, so that what they do can be worked out by hand. */
export function affinePools(options: AffineOptions = {}): SplitPools {
  const { prefill = { count: 1, tp: 1 }, decode = { count: 1, tp: 1 }, link = INSTANT, times = TIMES } = options
  const { lengths = { inputTokens: 1000, outputTokens: 200 }, maxNumSeqs = 256 } = options
  return createSplitPools({
    prefill,
    decode,
    lengths,
    link,
    // One prompt a step, so that a prefill instance takes 1/T(one prompt) of them a second.
    configurationOf: (parallelism) =>
      createConfiguration({ model: MODEL, gpu: GPU, maxNumSeqs, maxBatchedTokens: 1000, ...parallelism }),
    stepModelOf: (configuration) => affineModel(configuration, times),
  })
}
