import type { StepModel } from './step-model.ts'

/** Seconds to read a prompt in a replica that does nothing else; each data-parallel copy reads one such prompt meanwhile. */
export function prefillSeconds(model: StepModel, inputTokens: number): number {
  const { maxBatchedTokens, parallelism } = model.configuration
  // Equal chunks: the time of attention is linear in the mean context, so only their number matters.
  const chunks = Math.ceil(inputTokens / maxBatchedTokens)
  const prefillTokens = (parallelism.dp * inputTokens) / chunks
  const prefillContextTokens = inputTokens / 2
  return chunks * model.stepSeconds({ sequences: 0, contextTokens: 0, prefillTokens, prefillContextTokens })
}
