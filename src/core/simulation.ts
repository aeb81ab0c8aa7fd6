import type { Objectives, Point } from './run.ts'

/** What a simulated point says beside the figures that a measured one has too. Shares are of 1. */
export interface SimulatedPoint {
  /** Where there is more than one. */
  readonly lanes?: readonly SimulatedLane[]
  readonly pools: readonly SimulatedPool[]
  /** Between pools that read prompts and those that write answers. */
  readonly link?: SimulatedLink
  /** At most 200 instants of the window, evenly apart. */
  readonly series: readonly SimulatedInstant[]
  readonly preemptions: number
  /** Prompt and answer tokens that were read again after a preemption. */
  readonly recomputedTokens: number
  /** Prompt tokens that a prefix cache gave, of the requests that ended inside the window. */
  readonly cachedTokens: number
  /** Requests begun inside the window that no engine could ever hold, and the first of them in words. */
  readonly refused?: { readonly requests: number; readonly first: string }
  /** More requests were sent until the window closed than had been asked for: it takes so many for the load to come up and go round. */
  readonly prolonged?: { readonly asked: number; readonly sent: number }
}

export type SimulatedLane = Pick<
  Point,
  'requests' | 'tokens' | 'perUser' | 'outputTokensPerSecond' | 'latency' | 'littlesLaw' | 'goodput' | 'perGpu'
> & {
  readonly name: string
  readonly objectives?: Objectives
}

export interface SimulatedPool {
  readonly name: string
  readonly role: 'both' | 'prefill' | 'decode'
  readonly replicas: number
  readonly gpus?: number
  /** Share of the window in which an engine of it ran a step, in the mean. */
  readonly busy: number
  /** Output tokens a second of the pool, and per GPU of it where known; of a prefill pool prompt tokens. */
  readonly tokensPerSecond: number
  readonly tokensPerSecondPerGpu?: number
  /** Means over the window: sequences in a step, waiting in queues, and the share of KV blocks that are held (absent: no limit). */
  readonly meanBatch: number
  readonly meanWaiting: number
  readonly meanKvShare?: number
  /** The most that any one engine of it held. */
  readonly mostKvShare?: number
  /** Share of the tokens computed that had been computed before and were lost by preemption. */
  readonly wastedShare: number
  readonly preemptions: number
}

export interface SimulatedLink {
  /** Share of the window in which one of its places was taken, in the mean. */
  readonly busy: number
  /** Means over the window: requests whose KV cache is on its way, and those that wait for a place. */
  readonly meanMoving: number
  readonly meanWaiting: number
}

export interface SimulatedInstant {
  readonly atS: number
  readonly running: number
  readonly waiting: number
  /** Between pools. */
  readonly inTransfer?: number
  readonly kvShare?: number
}
