import type { Interval } from './run.ts'

/**
 * What a simulation says of a plan. The arithmetic is of means; here requests come as they come, meet in steps and wait for
 * each other, and
 * each is asked whether it got what the product is to give. `none`: nothing could be simulated, and the sentence says why.
 */
export type PlanCheck = TailCheck | DrainCheck | { readonly kind: 'none'; readonly sentences: readonly string[] }

/** Of requests that come. */
export interface TailCheck {
  readonly kind: 'tail'
  /** Of requests, which are to have the floor and the first token in time; `default` where the product does not say it. */
  readonly share: number
  readonly shareFrom: 'product' | 'default'
  /** The fleet of the mean under what comes in the mean, and that of the peak under what the peak is. */
  readonly mean: CheckedFleet
  readonly peak: CheckedFleet
  /** The fewest, no fewer than those of the mean, that hold the share under what the peak is. Absent where none that were tried do. */
  readonly replicas?: number
  /** Of split pools: those that answer, which are `replicas`, and those that read. */
  readonly pools?: PoolInstances
  /** In which their own share lies, 19 times in 20. */
  readonly replicasInterval?: Interval
  readonly gpus?: number
  /** Of a trace: that too, as it was recorded, on the fleet of the peak. */
  readonly replay?: CheckedReplay
  /** Then, which of the two the fewest follow from: it missed the share with fewer. Where neither did, which fewer requests were content with. */
  readonly judgedBy?: 'chance' | 'trace'
  /**
   * Where the fleet is too large to be simulated whole: so many of its engines, with their share of what comes. Of copies of
   * attention each is one.
   */
  readonly slice?: { readonly engines: number; readonly of: number }
  readonly sentences: readonly string[]
}

/** How many instances of each kind split pools have. */
export interface PoolInstances {
  readonly prefill: number
  readonly decode: number
}

export interface CheckedFleet {
  readonly replicas: number
  /** Of split pools; then a replica is one that answers. */
  readonly pools?: PoolInstances
  /** That came. */
  readonly arrivalsPerSecond: number
  /** Share of the requests that had all of the objective, and where that of an endless simulation would lie 19 times in 20. */
  readonly attainment: number
  readonly interval: Interval
  readonly holds: boolean
  /** Nine users in ten are at least this fast. Absent where no answer has two tokens. */
  readonly p10TokensPerSecond?: number
  readonly ttftMs: { readonly p50: number; readonly p99: number }
  /** In the whole fleet, and what the plan's arithmetic has there. */
  readonly inFlight: number
  readonly plannedInFlight?: number
  /** Of Little's law in the simulation: (L − λW) / L. */
  readonly residual: number
  /** Judged. */
  readonly requests: number
  /** More came than were answered. */
  readonly overloaded?: true
}

/** A trace with its own instants and lengths; of a large fleet a slice, with its share of the rows. */
export interface CheckedReplay extends CheckedFleet {
  /** Of the trace, one after another: those that are judged, and all. */
  readonly rows: number
  readonly of: number
  /** When the first and the last of those come, in seconds from the trace's first. */
  readonly fromS: number
  readonly toS: number
}

/** Of a batch: how long it takes from the first request sent to the last answered. */
export interface DrainCheck {
  readonly kind: 'drain'
  readonly completionS: number
  /** As the arithmetic has it. */
  readonly plannedS: number
  /** Of a batch with a deadline. */
  readonly inTime?: boolean
  /** Of a batch that is late: replicas (of split pools groups of instances) that were simulated too, and are in time. Absent where none were found. */
  readonly replicasInTime?: number
  readonly requests: number
  /**
   * So many replicas were simulated, with their share of the batch; and of a long batch so many requests, the rest at the pace
   * of their middle.
   */
  readonly slice?: { readonly replicas: number; readonly requests: number }
  readonly sentences: readonly string[]
}
