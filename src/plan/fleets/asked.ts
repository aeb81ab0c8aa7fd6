import type { LengthPair, Lengths, Product, ProductWork } from '../../core/index.ts'
import type { Accelerator, CalibrationSample, Configuration, ModelShape, Parallelism } from '../../model/index.ts'
import type { Demand } from '../demand.ts'

/** A product, and what comes of it. */
export interface AskedProduct {
  readonly product: Product & ProductWork
  readonly demand: Demand
  /** Of what is simulated the distributions; absent: every request has the mean. */
  readonly lengths?: FleetOptions['lengths']
}

/** GPUs of one kind for one model, of which split pools may be made. */
export interface SplitSource {
  readonly model: ModelShape
  readonly gpu: Accelerator
  /** The most that one instance takes. */
  readonly gpus: number
  /** Absent: the GPUs' own where all are in one domain, else a network port for each. */
  readonly link?: { readonly name: string; readonly bytesPerSecond: number }
  /** Measured points of neighbours, by which the specifications are scaled. */
  readonly samples?: readonly CalibrationSample[]
  /** Of one GPU, in your own money. */
  readonly pricePerHour?: number
  /** The model on these GPUs, laid out so. Throws IMPOSSIBLE_CONFIGURATION. */
  configurationOf(parallelism: Parallelism): Configuration
}

export interface FleetOptions {
  /** Refuse a plan that stands on a load outside those that were measured. */
  readonly strict?: boolean
  /** Split pools of these are looked at too. */
  readonly splits?: readonly SplitSource[]
  /** Of what is simulated the distributions, or what they are drawn from; absent: every request has the mean. */
  readonly lengths?: { readonly input?: Lengths; readonly output?: Lengths; readonly pairs?: readonly LengthPair[] }
  /** False: nothing is simulated. */
  readonly check?: boolean
}
