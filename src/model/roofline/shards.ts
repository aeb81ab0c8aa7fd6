import type { LatentAttention, ModelShape } from '../catalogue/model-shape.ts'
import type { Parallelism } from './configuration.ts'

/**
 * Weights that one GPU reads, over all layers of its pipeline: the share of a replica that one rank of tensor parallelism holds. In
 * numbers, not bytes. A head is not cut, so where there are fewer KV heads than ranks each rank has one whole.
 */
export interface Shards {
  readonly projections: number
  readonly feedForward: number
  /** Shared experts and routers. */
  readonly besideExperts: number
  /** Of one routed expert of one layer, as far as it lies on one GPU; 0 without experts. */
  readonly expert: number
  /** Routed experts of a layer that lie on one GPU, or are cut through it. */
  readonly expertsHeld: number
  readonly head: number
  readonly embedding: number
}

export function shardsOf(model: ModelShape, parallelism: Parallelism): Shards {
  const { hidden, feedForward, experts, vocabulary, tiedEmbeddings } = model
  const { tp, ep, dp } = parallelism
  const linearLayers = model.linear?.layers ?? 0
  const head = (vocabulary * hidden) / tp
  return {
    projections: (model.layers - linearLayers) * attentionWeights(model, tp) + linearLayers * linearWeights(model, tp),
    feedForward: (feedForward.layers * (feedForward.gated ? 3 : 2) * hidden * feedForward.width) / tp,
    besideExperts: experts === undefined ? 0 : experts.layers * hidden * ((3 * experts.sharedWidth) / tp + experts.all),
    expert: experts === undefined ? 0 : (3 * hidden * experts.width * ep) / (tp * dp),
    expertsHeld: experts === undefined ? 0 : experts.all / ep,
    head,
    embedding: tiedEmbeddings ? 0 : head,
  }
}

/** KV heads on each rank of tensor parallelism. */
export function kvHeadsOnRank(kvHeads: number, tp: number): number {
  return Math.max(kvHeads / tp, 1)
}

function attentionWeights(model: ModelShape, tp: number): number {
  const { attention, hidden } = model
  if (attention.kind === 'latent') return latentWeights(attention, hidden, tp)
  const { heads, kvHeads, headDim, outputGate } = attention
  const queriesAndOutput = ((outputGate ? 3 : 2) * heads) / tp
  return hidden * headDim * (queriesAndOutput + 2 * kvHeadsOnRank(kvHeads, tp))
}

/** What compresses is whole on every rank; what spreads over the heads is cut. */
function latentWeights(attention: LatentAttention, hidden: number, tp: number): number {
  const { heads, queryRank, kvRank, nopeDim, ropeDim, valueDim, indexer } = attention
  const down = hidden * ((queryRank ?? 0) + kvRank + ropeDim)
  const perHead = (queryRank ?? hidden) * (nopeDim + ropeDim) + kvRank * (nopeDim + valueDim) + valueDim * hidden
  const index =
    indexer === undefined ? 0 : indexer.heads * ((queryRank ?? hidden) * indexer.dim + hidden) + hidden * indexer.dim
  return down + (heads / tp) * perHead + index
}

/** Queries, keys, values and their gate; two gates a value head; the way back. */
function linearWeights({ hidden, linear }: ModelShape, tp: number): number {
  if (linear === undefined) return 0
  const { keyHeads, keyDim, valueHeads, valueDim } = linear
  return (hidden * (2 * keyHeads * keyDim + 3 * valueHeads * valueDim + 2 * valueHeads)) / tp
}
