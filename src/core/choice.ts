import type { Fit, FrontierPoint } from './run.ts'

/** What a product asks of a server. A pace product wants as many users as it can hold; a batch one wants tokens. */
export interface Product {
  readonly name: string
  readonly goal: 'pace' | 'throughput'
  /** The floor: tok/s/user. */
  readonly tokensPerSecond?: number
  readonly ttftMs?: number
  /** The share of requests that must get both; absent: the typical one. */
  readonly share?: number
  /** Where the figures come from. */
  readonly source?: string
}

/** A load to run at, and both speeds there. */
export interface ChosenPoint {
  /** Requests in flight. */
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  /** Of the whole server. */
  readonly outputTokensPerSecond: number
  /** Absent while the GPUs are unknown. */
  readonly tokensPerSecondPerGpu?: number
  readonly ttftMs?: number
  /** Where a share is asked for, and this load was measured: the share of its requests that met the whole objective. */
  readonly attainment?: number
  readonly source: 'measured' | 'fitted' | 'extrapolated'
  /** Where a measurement of the pace would fall nine times in ten, where it was not measured. */
  readonly low?: number
  readonly high?: number
}

/**
 * What keeps the load from being greater: the floor of pace, the first token, failing requests, the server's own limit, the client's, that
 * nothing beyond was measured nor is foretold, or (for a batch product) that throughput is highest here.
 */
export type Binding = 'floor' | 'ttft' | 'failures' | 'serverLimit' | 'clientLimit' | 'measuredRange' | 'throughput'

/** What `choose` prints, and what a search for a load finds: the point, why this one, and what lies around it. */
export interface Choice {
  readonly product: Product
  readonly choice: ChosenPoint
  readonly bindingConstraint: Binding
  /** Sentences. */
  readonly reason: string
  readonly fit: Fit
  readonly frontier: readonly FrontierPoint[]
  /** The measured loads next below and above, where there are. */
  readonly neighbours: readonly ChosenPoint[]
}

/** How a run went that chose its loads by itself: `find` for the highest that holds its objective, `sweep` for the whole frontier. */
export interface Search {
  readonly kind: 'find' | 'sweep'
  /** In the order they were measured; of a find with what each said of the objective. `void`: neither, for its speed is not the server's. */
  readonly tried: readonly {
    readonly concurrency: number
    /** Where rates were tried: then `concurrency` is what was in flight. */
    readonly rate?: number
    readonly verdict?: 'holds' | 'misses' | 'void'
    readonly missed?: Binding
    readonly fault?: string
  }[]
  /** False where the run ended before the search did. */
  readonly finished: boolean
  /** Of a find: how far above the answer the load is that misses. Of a sweep: the worst that a load is foretold by the others. */
  readonly withinPct?: number
  /** Of a find by simulation: the greatest load that holds, and where the mean of endless seeds would lie 19 times in 20. */
  readonly found?: {
    readonly by: 'rate' | 'concurrency'
    readonly value: number
    readonly low: number
    readonly high: number
    readonly runs: number
  }
  /** Of a sweep: from 1 to here, why not further, and whether every load in it is known to ± 3 %. */
  readonly upTo?: number
  readonly endedBy?: 'gain' | 'tooShort' | Binding
  readonly known?: boolean
  /** All of it for a person. */
  readonly sentence: string
}
