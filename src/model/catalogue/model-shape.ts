/** Heads that keep K and V each; fewer of those than of queries where they are grouped. */
export interface GroupedAttention {
  readonly kind: 'grouped'
  readonly heads: number
  readonly kvHeads: number
  readonly headDim: number
  /** A gate on what attention gives, made by a second query matrix of the same size. */
  readonly outputGate?: true
}

/** Multi-head latent attention: one compressed vector a token stands for K and V of all heads. */
export interface LatentAttention {
  readonly kind: 'latent'
  readonly heads: number
  /** Absent: queries are not compressed. */
  readonly queryRank?: number
  readonly kvRank: number
  readonly nopeDim: number
  readonly ropeDim: number
  readonly valueDim: number
  /** Small heads that look at every token kept, and pick the `tokens` of them that attention then reads. */
  readonly indexer?: { readonly heads: number; readonly dim: number; readonly tokens: number }
}

/** Layers of a gated delta rule: in place of a KV cache they keep one state a sequence, of valueHeads · keyDim · valueDim numbers each. */
export interface LinearAttention {
  readonly layers: number
  readonly keyHeads: number
  readonly keyDim: number
  readonly valueHeads: number
  readonly valueDim: number
}

/** The architecture of a decoder, as far as its bytes and FLOPs need it. */
export interface ModelShape {
  readonly id: string
  readonly hidden: number
  /** All of them, linear ones too. */
  readonly layers: number
  readonly vocabulary: number
  /** The embedding is also the output matrix, so it is stored once. */
  readonly tiedEmbeddings: boolean
  /** Of the layers that are not linear. */
  readonly attention: GroupedAttention | LatentAttention
  readonly linear?: LinearAttention
  /** Layers that look back no farther than so many tokens. */
  readonly window?: { readonly tokens: number; readonly layers: number }
  /** Of the layers without experts; `layers` is 0 where all have them. A gated one has three matrices, another two. */
  readonly feedForward: { readonly layers: number; readonly width: number; readonly gated: boolean }
  /** Of three matrices each, as every family known here has them. */
  readonly experts?: {
    readonly layers: number
    readonly all: number
    readonly active: number
    /** Of one expert. */
    readonly width: number
    /** Of all shared experts together, which every token passes; 0 without them. */
    readonly sharedWidth: number
  }
  /** How the published weights are kept, where not in 16 bits: `fp8`, `fp4`, `mxfp4`, `int8`, `int4`. */
  readonly storedAs?: string
  /** The longest context it was made for, in tokens. */
  readonly maxContext?: number
  /** Where a config.json calls it a decoder of a family that is not known: its layers are taken to be the usual ones. */
  readonly unknownFamily?: string
  readonly source: string
}
