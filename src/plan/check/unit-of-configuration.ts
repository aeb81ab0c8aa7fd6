import { type Configuration, createStepModel, memoryOf, type StepModel, transferSeconds } from '../../model/index.ts'
import { enginePolicy, modelStepTime, type Pool } from '../../sim/index.ts'
import type { MeanLengths, SimulatedUnit } from '../candidate.ts'

/** A replica that reads prompts and answers them, its steps timed from datasheets: by `model` where measurements scaled those. */
export function unitOfConfiguration(
  configuration: Configuration,
  lengths: MeanLengths,
  model: StepModel = createStepModel(configuration),
): SimulatedUnit {
  return {
    pools: [poolOf({ name: 'server', role: 'both', replicas: 1 }, model, lengths)],
    entrySeconds: (promptTokens) => model.arrivalSeconds(promptTokens),
  }
}

export interface SplitInstances {
  readonly configuration: Configuration
  readonly instances: number
  readonly model?: StepModel
}

/** Tokens of a prompt by which the rate of a link is found. */
const PROMPT_TOKENS = 1024

/**
 * A group of instances that read and instances that answer. Each has a link of its own, so that as many prompts travel at once as there are
 * instances on the side that has fewer.
 */
export function unitOfSplit(
  prefill: SplitInstances,
  decode: SplitInstances,
  link: { readonly name: string; readonly bytesPerSecond: number },
  lengths: MeanLengths,
): SimulatedUnit {
  const reader = prefill.model ?? createStepModel(prefill.configuration)
  const writer = decode.model ?? createStepModel(decode.configuration)
  const { kvBytesPerToken } = memoryOf(decode.configuration, inTokens(lengths))
  const seconds = transferSeconds(link, prefill.configuration, decode.configuration, PROMPT_TOKENS)
  return {
    pools: [
      poolOf({ name: 'prefill', role: 'prefill', replicas: prefill.instances }, reader, lengths),
      poolOf({ name: 'decode', role: 'decode', replicas: decode.instances }, writer, lengths),
    ],
    link: {
      bytesPerToken: kvBytesPerToken,
      bytesPerSecond: (kvBytesPerToken * PROMPT_TOKENS) / seconds,
      concurrency: Math.min(prefill.instances, decode.instances),
    },
    entrySeconds: (promptTokens) => reader.arrivalSeconds(promptTokens),
  }
}

/** Each data-parallel copy is an engine with its share of the places and of the cache. */
function poolOf(named: Pick<Pool, 'name' | 'role' | 'replicas'>, model: StepModel, lengths: MeanLengths): Pool {
  const { configuration } = model
  const { parallelism, maxNumSeqs, maxBatchedTokens } = configuration
  const { tp, pp, dp } = parallelism
  const { kvCapacityTokens } = memoryOf(configuration, inTokens(lengths))
  return {
    ...named,
    dataParallel: dp,
    gpusPerReplica: tp * pp * dp,
    policy: enginePolicy({
      maxNumSeqs: Math.max(1, Math.floor(maxNumSeqs / dp)),
      maxBatchedTokens,
      kvTokens: Math.floor(kvCapacityTokens / dp),
    }),
    stepTime: modelStepTime(model),
  }
}

const inTokens = ({ input = 1, output }: MeanLengths): { inputTokens: number; outputTokens: number } => ({
  inputTokens: input,
  outputTokens: output,
})
