import { attentionOperators } from './attention.ts'
import { collectiveOperators } from './collectives.ts'
import type { Configuration } from './configuration.ts'
import { CONSTANTS, type Constants } from './constants.ts'
import { expertOperators } from './experts.ts'
import { matrixOperators } from './matrices.ts'
import { boundOf, emptyShare, NOTHING, type Operator, operatorSeconds, partOf, shareOf } from './operator.ts'
import { shardsOf } from './shards.ts'
import type { StepModel } from './step-model.ts'

/**
 * The time of a step, operator by operator, from datasheets. Of a pipeline it is the time that a token needs through all stages: the batch
 * is cut into one piece a stage, so that every stage has work, and a sequence gets its next token when its piece has passed them all.
 */
export function createStepModel(configuration: Configuration, constants: Constants = CONSTANTS): StepModel {
  const { pp, dp } = configuration.parallelism
  const shards = shardsOf(configuration.model, configuration.parallelism)
  const operators: readonly Operator[] = [
    ...matrixOperators(configuration, shards, constants),
    ...expertOperators(configuration, shards, constants),
    ...attentionOperators(configuration, constants),
    ...collectiveOperators(configuration, constants),
    overheadOf(configuration, constants),
  ]
  const share = emptyShare()
  return {
    configuration,
    arrivalSeconds: (inputTokens) => constants.arrivalS + inputTokens * constants.arrivalTokenS,
    waitFactor: () => 1,
    stepSeconds(work) {
      shareOf(work, pp, dp, share)
      let seconds = 0
      for (const operator of operators) seconds += operatorSeconds(operator, share)
      return seconds
    },
    tally(work, times, seconds) {
      shareOf(work, pp, dp, share)
      for (const operator of operators) seconds[boundOf(operator, share)] += times * operatorSeconds(operator, share)
    },
    parts: (work) => {
      const seen = shareOf(work, pp, dp, emptyShare())
      return operators.map((operator) => partOf(operator, seen))
    },
  }
}

/** What is neither matrix nor attention nor link: small kernels of every layer, the host between steps, and each token's way out. */
function overheadOf({ model, gpu }: Configuration, constants: Constants): Operator {
  const stepS = model.layers * constants.layerS + constants.stepS
  const bytes = model.layers * constants.layerPasses * 2 * model.hidden
  return {
    name: 'overhead',
    reads: 'overhead',
    startS: ({ copySequences }) => stepS + copySequences * constants.perSequenceS,
    readS: ({ copyTokens }) => (copyTokens * bytes) / gpu.memoryBytesPerSecond,
    computeS: NOTHING,
    bytesPerSecond: gpu.memoryBytesPerSecond,
    flopsPerSecond: 0,
  }
}
