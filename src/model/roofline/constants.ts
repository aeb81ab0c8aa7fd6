/**
 * What separates datasheets from engines, the same for every model and accelerator. Shares are of the datasheet's figures; times are
 * seconds.
 */
export interface Constants {
  /** Of memory bandwidth, by large matrices that few tokens pass. */
  readonly weightRead: number
  /** The same of experts: many small matrices, of which the router picks some. */
  readonly expertRead: number
  /** Of memory bandwidth, by attention over the cache. */
  readonly kvRead: number
  /** Of the datasheet's time of a FLOP, and bytes of memory that pass for each meanwhile, in large matrices that many tokens pass. */
  readonly flopTime: number
  readonly flopBytes: number
  /** FLOPs in 16 bits that it takes to unpack a weight of an expert from 4 bits, where nothing multiplies those as they are. */
  readonly unpackFlops: number
  /** Of FLOP/s, by experts, as a share of that: tokens fall unevenly on them, and few on each. */
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

/**
 * Each lies where the kernel tables of public measurements (bench/data: NVIDIA's aiconfigurator, measured in vLLM and NCCL) put it, and was
 * settled there, all at once, on one half of the public end-to-end sweeps, then rounded with an eye on the bias of all of them. The pace of
 * the other half is as near: 11.1 % in the median against 10.5 %. docs/reference/model-accuracy.md has the figures by model and GPU.
 */
export const CONSTANTS: Constants = {
  // 0.66–0.86 in the tables of matrix products, from A100 to GB200.
  weightRead: 0.84,
  // 0.6–0.9 in the tables of fused experts.
  expertRead: 0.78,
  // 0.78–0.97 in the tables of decode attention.
  kvRead: 0.87,
  // Fitted to the matrix products of seven accelerators in 16 and 8 bits: the faster the arithmetic for its memory, the less of it is fed.
  flopTime: 0.95,
  flopBytes: 1.5e-3,
  // H100 and H200 read experts in mxfp4 equally fast, 2.5 TB/s, whatever their memory could give.
  unpackFlops: 220,
  // 0.2–0.8 in the tables, less where routing is skewed.
  expertCompute: 0.42,
  // From serving alone: by lot, a batch would touch more experts than the pace allows.
  routing: 1.8,
  // 0.50–0.66 in the tables of prefill attention, 0.5–0.75 in those of latent decode.
  attentionCompute: 0.62,
  // 3.8–4.2 µs in the tables of matrix products (A100 6.7), launch included, which a captured graph shortens.
  kernelS: 3.8e-6,
  // 3.4–4.1 µs more in 8 bits there; engines fold a part into the norm before.
  narrowS: 2.5e-6,
  // 9–13 µs in the tables of decode attention (A100 18), and 0.04–0.12 µs a sequence.
  attentionKernelS: 8.8e-6,
  attentionSequenceS: 0.1e-6,
  // 1.5–9 in the tables of prefill attention.
  attentionPasses: 6,
  // From serving alone.
  layerS: 5.7e-6,
  // Two norms, two residual sums, positions, the activation: each reads and writes.
  layerPasses: 12,
  // With its three launches 15–50 µs in the tables of fused experts.
  expertLayerS: 18e-6,
  // From serving alone; vLLM's own gaps between steps were seen to be 0.5 ms and more.
  stepS: 0.45e-3,
  // From serving alone; another model of vLLM was fitted to 4.4 µs.
  perSequenceS: 10e-6,
  // From the first tokens of sweeps with few in flight.
  arrivalS: 45e-3,
  arrivalTokenS: 2e-6,
  // 0.5–0.83 in the tables of all-reduces.
  linkShare: 0.6,
  // 4.3–5.4 µs in them on Hopper, 5–8 on Blackwell, where all ranks begin at once; in a server they wait for one another.
  linkS: 7.5e-6,
  // 4–5 µs of 2 GPUs, 13 of 4, 23–26 of 8 on PCIe.
  pcieS: 3.3e-6,
  // An assumption, as is the card: no table here has a network.
  networkS: 30e-6,
  networkBytesPerSecond: 50e9,
}

/** Datasheets alone: all of every rate, and no time for anything else. A bound that no engine can pass. */
export const IDEAL: Constants = {
  weightRead: 1,
  expertRead: 1,
  kvRead: 1,
  flopTime: 1,
  flopBytes: 0,
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
