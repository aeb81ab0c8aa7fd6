import type { Product } from '../core/index.ts'
import type { Configuration } from '../model/index.ts'
import type { Fleet } from '../sim/index.ts'
import type { Evidence } from './evidence.ts'

/** Tokens, in the mean. The prompt's are absent where nothing asks for them. */
export interface MeanLengths {
  readonly input?: number
  readonly output: number
}

/**
 * One way to serve, of which a fleet may have many: a server that was measured, a law, or a layout that datasheets foretell. Of it one unit is
 * a replica, or a group of split pools whose instances go together.
 */
export interface Candidate {
  /** `runs/monday`, `h100-sxm TP2`, `h100-sxm 2 × TP4 prefill, 1 × TP8 decode`. */
  readonly name: string
  readonly kind: 'measured' | 'law' | 'predicted'
  /** As the catalogue names it. */
  readonly gpu?: string
  /** Rated, of one GPU. */
  readonly powerW?: number
  /** Of one GPU, in your own money. */
  readonly pricePerHour?: number
  /** What it was measured on, as the run says it: `vllm`, `SGLang 0.4`. */
  readonly engine?: string
  /** In one unit that each take a limit of their own: copies of attention (data parallel), or instances that decode. Absent: one. */
  readonly copies?: number
  /** Some instances read, others decode. */
  readonly isSplit?: true
  /** Of a prediction; of split pools that of the instances that decode. */
  readonly configuration?: Configuration
  /**
   * What one unit gives requests of these lengths; absent: of those that it was measured with. Throws DOES_NOT_FIT where the memory is too small
   * for one.
   */
  evidenceFor(lengths?: MeanLengths): Evidence
  /** Itself, as this product judges it: of a run a share of the requests, in place of the typical one. Absent: as it is. */
  forProduct?(product: Product): Candidate
  /** One unit as the simulator runs it; undefined where its steps are not known. */
  unitFor(lengths: MeanLengths): SimulatedUnit | undefined
  /** Of one unit, where it is known. */
  memoryFor?(lengths: MeanLengths): UnitMemory
}

export type SimulatedUnit = Pick<Fleet, 'pools' | 'link' | 'entrySeconds'>

export interface UnitMemory {
  readonly kvCapacityTokens: number
  readonly kvBytesPerToken: number
}
