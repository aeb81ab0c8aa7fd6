import type { ComputeType } from '../catalogue/accelerator.ts'

/**
 * What separates datasheets from engines, the same for every model and accelerator. Shares are of the datasheet's figures; times are
 * seconds. Where a figure was read off kernel tables it says so; the rest was tuned on one half of the public end-to-end sweeps that
 * docs/reference/model-accuracy.md names, and is judged there on the other half.
 */
export interface Constants {
  /** Of memory bandwidth, by large matrices that few tokens pass. */
  readonly weightRead: number
  /** The same of experts: many small matrices, of which the router picks some. */
  readonly expertRead: number
  /** Of memory bandwidth, by attention over the cache. */
  readonly kvRead: number
  /** Of dense FLOP/s, by large matrices that many tokens pass, in each type. */
  readonly compute: Readonly<Record<ComputeType, number>>
  /** FLOPs in 16 bits that it takes to unpack a weight of an expert from 4 bits, where nothing multiplies those as they are. */
  readonly unpackFlops: number
  /** Of FLOP/s, by experts, as a share of `compute`: tokens fall unevenly on them, and few on each. */
  readonly expertCompute: number
  /** How evenly the router spreads tokens (`expertsTouched`); without end for routing by lot. */
  readonly routing: number
  /** Of dense FLOP/s in 16 bits, by attention. */
  readonly attentionCompute: number
  /** To start one kernel of matrices, and until all of the memory is busy with it. */
  readonly kernelS: number
  /** To bring activations to fewer than 16 bits before it. */
  readonly narrowS: number
  /** The same as `kernelS` of attention over the cache, which splits a context and joins the parts; and of each sequence in it. */
  readonly attentionKernelS: number
  readonly attentionSequenceS: number
  /** How often attention within prompts passes its queries through memory. */
  readonly attentionPasses: number
  /** Norms, positions, activations and the writing of the cache, a layer. */
  readonly layerS: number
  /** How often these pass a token's activations through memory, a layer. */
  readonly layerPasses: number
  /** Beyond that, a layer with experts: to route the tokens, to sort them, and to add up what comes back. */
  readonly expertLayerS: number
  /** On the host, between two steps. */
  readonly stepS: number
  /** To sample and hand on a token. */
  readonly perSequenceS: number
  /** From the arrival of a request to the first step that may read its prompt: once, and for each token of it. */
  readonly arrivalS: number
  readonly arrivalTokenS: number
  /** Of a link's bandwidth. */
  readonly linkShare: number
  /** Of one all-reduce or all-to-all, however short: over NVLink and its like, over PCIe for each that takes part, over the network. */
  readonly linkS: number
  readonly pcieS: number
  readonly networkS: number
  /** Beyond a node or domain, of each accelerator: a network card of 400 Gbit/s. */
  readonly networkBytesPerSecond: number
}

export const CONSTANTS: Constants = {
  weightRead: 0.78,
  expertRead: 0.75,
  kvRead: 0.85,
  compute: { bf16: 0.73, fp16: 0.73, fp8: 0.51, int8: 0.51, fp4: 0.41 },
  unpackFlops: 220,
  expertCompute: 0.41,
  routing: 2.5,
  attentionCompute: 0.61,
  kernelS: 3.5e-6,
  narrowS: 2.6e-6,
  attentionKernelS: 8.3e-6,
  attentionSequenceS: 0.092e-6,
  layerS: 5.2e-6,
  attentionPasses: 6,
  layerPasses: 12,
  expertLayerS: 18e-6,
  stepS: 0.6e-3,
  perSequenceS: 6e-6,
  arrivalS: 45e-3,
  arrivalTokenS: 2e-6,
  linkShare: 0.63,
  linkS: 6.2e-6,
  pcieS: 3.3e-6,
  networkS: 30e-6,
  networkBytesPerSecond: 50e9,
}

/** Datasheets alone: all of every rate, and no time for anything else. A bound that no engine can pass. */
export const IDEAL: Constants = {
  weightRead: 1,
  expertRead: 1,
  kvRead: 1,
  compute: { bf16: 1, fp16: 1, fp8: 1, int8: 1, fp4: 1 },
  unpackFlops: 0,
  expertCompute: 1,
  routing: Number.POSITIVE_INFINITY,
  attentionCompute: 1,
  kernelS: 0,
  narrowS: 0,
  attentionKernelS: 0,
  attentionSequenceS: 0,
  layerS: 0,
  attentionPasses: 0,
  layerPasses: 0,
  expertLayerS: 0,
  stepS: 0,
  perSequenceS: 0,
  arrivalS: 0,
  arrivalTokenS: 0,
  linkShare: 1,
  linkS: 0,
  pcieS: 0,
  networkS: 0,
  networkBytesPerSecond: 50e9,
}
