import type { Fit, FrontierPoint } from './run.ts'

/** What `fit` prints of one server. */
export interface FitAnswer {
  readonly fit: Fit
  /** Ascending by load; of several lengths those of one stand together. */
  readonly frontier: readonly FittedPoint[]
  readonly setAside: NonNullable<Fit['setAside']>
}

export interface FittedPoint extends FrontierPoint {
  /** Tokens of context that a stream holds on average, where points of several lengths were fitted together. */
  readonly contextTokens?: number
}
