import type { GroupedAttention, LatentAttention, LinearAttention, ModelShape } from './model-shape.ts'

/**
 * Parameters of a model from its shape. Norms, biases and the positions of a table are left out (under 0.1 %), and so are towers that
 * see or hear and layers that foretell a second token, which answering in text does not use.
 */
export interface Parameters {
  readonly total: number
  /** What one token passes through: its experts alone, and the embedding only as the output matrix, for as input it is looked up. */
  readonly active: number
}

export function parametersOf(shape: ModelShape): Parameters {
  const { hidden, layers, linear, feedForward, experts, vocabulary } = shape
  const embedding = hidden * vocabulary
  const attention = (layers - (linear?.layers ?? 0)) * attentionParameters(shape.attention, hidden)
  const recurrent = linear === undefined ? 0 : linear.layers * linearParameters(linear, hidden)
  const dense = feedForward.layers * (feedForward.gated ? 3 : 2) * hidden * feedForward.width
  const everyToken = attention + recurrent + dense + embedding
  const input = shape.tiedEmbeddings ? 0 : embedding
  if (experts === undefined) return { total: everyToken + input, active: everyToken }
  const one = 3 * hidden * experts.width
  const always = experts.layers * (3 * hidden * experts.sharedWidth + hidden * experts.all)
  return {
    total: everyToken + input + always + experts.layers * experts.all * one,
    active: everyToken + always + experts.layers * experts.active * one,
  }
}

/** Of one layer. Q and O have a column per query head, K and V per KV head. */
function attentionParameters(attention: GroupedAttention | LatentAttention, hidden: number): number {
  if (attention.kind === 'grouped') {
    const { heads, kvHeads, headDim, outputGate } = attention
    return hidden * headDim * ((outputGate === true ? 3 : 2) * heads + 2 * kvHeads)
  }
  const { heads, queryRank, kvRank, nopeDim, ropeDim, valueDim, indexer } = attention
  const queries = heads * (nopeDim + ropeDim)
  const query = queryRank === undefined ? hidden * queries : queryRank * (hidden + queries)
  const kv = hidden * (kvRank + ropeDim) + kvRank * heads * (nopeDim + valueDim)
  const output = heads * valueDim * hidden
  const index =
    indexer === undefined
      ? 0
      : (queryRank ?? hidden) * indexer.heads * indexer.dim + hidden * (indexer.dim + indexer.heads)
  return query + kv + output + index
}

/** Of one layer: Q, K, V and a gate as wide as V, two scalars a value head, a short convolution over Q, K and V, and O. */
function linearParameters(linear: LinearAttention, hidden: number): number {
  const { keyHeads, keyDim, valueHeads, valueDim, convolution } = linear
  const value = valueHeads * valueDim
  const mixed = 2 * keyHeads * keyDim + value
  return hidden * (mixed + 2 * value + 2 * valueHeads) + convolution * mixed
}
