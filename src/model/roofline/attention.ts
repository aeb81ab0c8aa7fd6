import { layersWithCache, numbersPerToken, stateBytes } from './cache.ts'
import type { Configuration } from './configuration.ts'
import type { Constants } from './constants.ts'
import { NOTHING, type Operator } from './operator.ts'
import { kvBytes, wideUnit } from './precision.ts'

/**
 * Attention over the cache, for sequences that decode, and within prompts, for those that begin. It multiplies in 16 bits whatever the
 * cache is kept in. A layer with a window looks back no farther than it; a linear one reads and writes its state instead.
 */
export function attentionOperators(configuration: Configuration, constants: Constants): Operator[] {
  const { model, gpu, kvPrecision, parallelism } = configuration
  const { tp } = parallelism
  const { attention } = model
  const { full, windowed } = layersWithCache(model)
  const window = model.window?.tokens ?? 0
  const peak = gpu.flopsPerSecond[wideUnit(gpu)] ?? 0
  const perToken = numbersPerToken(model, tp) * (kvBytes(kvPrecision) ?? 2)
  const states = 2 * stateBytes(model, tp)
  const heads = attention.heads / tp
  // A multiply and an add for each number of a key and of a value. Latents are read as they lie (key and value in one); prompts spread them.
  const decodeFlops =
    attention.kind === 'latent' ? 2 * heads * (2 * attention.kvRank + attention.ropeDim) : 4 * heads * attention.headDim
  const promptFlops =
    attention.kind === 'latent'
      ? 2 * heads * (attention.nopeDim + attention.ropeDim + attention.valueDim)
      : 4 * heads * attention.headDim
  const queryDim = attention.kind === 'latent' ? attention.nopeDim + attention.ropeDim : attention.headDim
  // Sparse attention: a cheap index of all tokens in one byte a number, then only the best of them.
  const indexer = attention.kind === 'latent' ? attention.indexer : undefined
  const most = indexer?.tokens ?? Number.POSITIVE_INFINITY
  const indexBytes = (indexer?.dim ?? 0) * full
  const indexFlops = 2 * (indexer?.heads ?? 0) * (indexer?.dim ?? 0) * full
  /** Tokens looked back at, over all layers. */
  const looked = (context: number): number => full * Math.min(context, most) + windowed * Math.min(context, window)

  const bytesPerSecond = constants.kvRead * gpu.memoryBytesPerSecond
  const { layers } = model
  // Within prompts, queries come from memory and what they found goes back there.
  const passesS = (constants.attentionPasses * 2 * heads * queryDim) / bytesPerSecond
  const flopsPerSecond = constants.attentionCompute * peak
  return [
    {
      name: 'attention',
      reads: 'kv',
      startS: ({ copySequences }) =>
        copySequences > 0 ? layers * (constants.attentionKernelS + copySequences * constants.attentionSequenceS) : 0,
      readS: ({ copySequences, contextTokens }) =>
        (copySequences * (looked(contextTokens) * perToken + contextTokens * indexBytes + states)) / bytesPerSecond,
      computeS: ({ copySequences, contextTokens }) =>
        (copySequences * (looked(contextTokens) * decodeFlops + contextTokens * indexFlops)) / flopsPerSecond,
      bytesPerSecond,
      flopsPerSecond,
    },
    {
      name: 'promptAttention',
      reads: 'kv',
      startS: ({ copyPromptTokens }) =>
        copyPromptTokens > 0 ? layers * (constants.attentionKernelS + copyPromptTokens * passesS) : 0,
      readS: NOTHING,
      computeS: ({ copyPromptTokens, promptContextTokens }) =>
        (copyPromptTokens * (looked(promptContextTokens) * promptFlops + promptContextTokens * indexFlops)) /
        flopsPerSecond,
      bytesPerSecond,
      flopsPerSecond,
    },
  ]
}
