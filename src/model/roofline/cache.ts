import type { ModelShape } from '../catalogue/model-shape.ts'
import { kvHeadsOnRank } from './shards.ts'

/** Numbers that one layer with attention keeps of one token, on one rank of tensor parallelism; a latent is whole on every rank. */
export function numbersPerToken({ attention }: ModelShape, tp: number): number {
  if (attention.kind === 'latent') return attention.kvRank + attention.ropeDim
  return 2 * kvHeadsOnRank(attention.kvHeads, tp) * attention.headDim
}

/** Layers that keep a cache, by how far back they look. */
export function layersWithCache(model: ModelShape): { readonly full: number; readonly windowed: number } {
  const windowed = model.window?.layers ?? 0
  return { full: model.layers - (model.linear?.layers ?? 0) - windowed, windowed }
}

/** Bytes of the state that linear layers keep of one sequence, on one rank: 32-bit numbers, for they are added to at every token. */
export function stateBytes({ linear }: ModelShape, tp: number): number {
  if (linear === undefined) return 0
  return (4 * linear.layers * linear.valueHeads * linear.keyDim * linear.valueDim) / tp
}

/** Bytes a token of the cache on one rank, all layers keeping it. */
export function cacheBytesPerToken(model: ModelShape, bytes: number, tp: number): number {
  const { full, windowed } = layersWithCache(model)
  const { attention } = model
  const index = attention.kind === 'latent' ? (attention.indexer?.dim ?? 0) : 0
  return (full + windowed) * (numbersPerToken(model, tp) * bytes + index)
}

/** Bytes that one sequence of so many tokens takes on one rank: windowed layers keep no more than their window. */
export function sequenceBytes(model: ModelShape, bytes: number, tp: number, tokens: number): number {
  const beyond = Math.max(0, tokens - (model.window?.tokens ?? tokens))
  const forgotten = layersWithCache(model).windowed * numbersPerToken(model, tp) * bytes * beyond
  return tokens * cacheBytesPerToken(model, bytes, tp) - forgotten + stateBytes(model, tp)
}
