import type { PredictedPoolStep } from '../../core/index.ts'
import { decodeWork } from '../pools/split-loop.ts'
import type { SplitPools } from '../pools/split-pools.ts'
import type { Configuration } from '../roofline/configuration.ts'
import type { StepModel, StepWork } from '../roofline/step-model.ts'

/** Where the time of a step goes in an instance of each pool: one reads prompts and nothing else, the other only decodes. */
export function poolSteps(
  split: SplitPools,
  batch: number,
  stepModelOf: (configuration: Configuration) => StepModel,
): Record<'prefill' | 'decode', PredictedPoolStep> {
  const { reader, writer, lengths } = split
  return {
    prefill: stepOf(stepModelOf(reader.configuration), promptWork(reader.configuration, lengths.inputTokens)),
    decode: stepOf(writer.model, decodeWork(split, batch)),
  }
}

/** An equal piece of a prompt for each data-parallel copy, as many as the token budget takes; `prefillSeconds` is all of its pieces. */
function promptWork({ maxBatchedTokens, parallelism }: Configuration, inputTokens: number): StepWork {
  const pieces = Math.ceil(inputTokens / maxBatchedTokens)
  const prefillTokens = (parallelism.dp * inputTokens) / pieces
  return { sequences: 0, contextTokens: 0, prefillTokens, prefillContextTokens: inputTokens / 2 }
}

function stepOf(model: StepModel, work: StepWork): PredictedPoolStep {
  const parts = model.parts(work).map(({ seconds, ...part }) => ({ ...part, ms: 1000 * seconds }))
  return {
    sequences: work.sequences,
    contextTokens: work.contextTokens,
    promptTokens: work.prefillTokens,
    ms: parts.reduce((sum, { ms }) => sum + ms, 0),
    parts: parts.filter(({ ms }) => ms > 0),
  }
}
