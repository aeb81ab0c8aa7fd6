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
  /** The same of experts, whose tokens fall unevenly on them. */
  readonly expertCompute: number
  /** Of dense FLOP/s in 16 bits, by attention within prompts. */
  readonly attentionCompute: number
  /** To start one kernel of matrices, and until all of the memory is busy with it. */
  readonly kernelS: number
  /** To bring activations to fewer than 16 bits before it. */
  readonly narrowS: number
  /** The same as `kernelS` of attention over the cache, which splits a context and joins the parts. */
  readonly attentionKernelS: number
  /** Norms, positions, activations and the writing of the cache, a layer. */
  readonly layerS: number
  /** Beyond that, a layer with experts: to route the tokens, to sort them, and to add up what comes back. */
  readonly expertLayerS: number
  /** On the host, between two steps. */
  readonly stepS: number
  /** To sample and hand on a token. */
  readonly perSequenceS: number
  /** From the arrival of a request to the first step that may read its prompt. */
  readonly arrivalS: number
  /** Of a link's bandwidth. */
  readonly linkShare: number
  /** Of one all-reduce or all-to-all, however short: over NVLink and its like, over PCIe, over the network. */
  readonly linkS: number
  readonly pcieS: number
  readonly networkS: number
  /** Beyond a node or domain, of each accelerator: a network card of 400 Gbit/s. */
  readonly networkBytesPerSecond: number
}

export const CONSTANTS: Constants = {
  weightRead: 0.8,
  expertRead: 0.6,
  kvRead: 0.8,
  compute: { bf16: 0.75, fp16: 0.75, fp8: 0.55, int8: 0.55, fp4: 0.4 },
  expertCompute: 0.7,
  attentionCompute: 0.45,
  kernelS: 2.5e-6,
  narrowS: 2e-6,
  attentionKernelS: 8e-6,
  layerS: 8e-6,
  expertLayerS: 20e-6,
  stepS: 0.8e-3,
  perSequenceS: 5e-6,
  arrivalS: 20e-3,
  linkShare: 0.75,
  linkS: 7e-6,
  pcieS: 20e-6,
  networkS: 30e-6,
  networkBytesPerSecond: 50e9,
}

/** Datasheets alone: all of every rate, and no time for anything else. A bound that no engine can pass. */
export const IDEAL: Constants = {
  weightRead: 1,
  expertRead: 1,
  kvRead: 1,
  compute: { bf16: 1, fp16: 1, fp8: 1, int8: 1, fp4: 1 },
  expertCompute: 1,
  attentionCompute: 1,
  kernelS: 0,
  narrowS: 0,
  attentionKernelS: 0,
  layerS: 0,
  expertLayerS: 0,
  stepS: 0,
  perSequenceS: 0,
  arrivalS: 0,
  linkShare: 1,
  linkS: 0,
  pcieS: 0,
  networkS: 0,
  networkBytesPerSecond: 50e9,
}
