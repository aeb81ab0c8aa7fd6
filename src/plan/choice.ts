import type { Fit, FrontierPoint } from '../core/index.ts'
import type { OperatingPoint } from '../model/index.ts'
import type { Product } from './product.ts'

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
  readonly source: OperatingPoint['source']
  /** Where a measurement of the pace would fall nine times in ten, where the law gave it. */
  readonly low?: number
  readonly high?: number
}

/**
 * What keeps the load from being greater: the floor of pace, the first token, the server's own limit, that nothing beyond was measured
 * nor is foretold, or (for a batch product) that throughput is highest here.
 */
export type Binding = 'floor' | 'ttft' | 'serverLimit' | 'measuredRange' | 'throughput'

/** What `choose` prints: the point, why this one, and what lies around it. */
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
