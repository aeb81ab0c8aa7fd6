import type { Fit, FrontierPoint } from './run.ts'

/** What `fit` prints of one server. */
export interface FitAnswer {
  readonly fit: Fit
  /** Ascending by load; of several lengths those of one stand together. */
  readonly frontier: readonly FittedPoint[]
  readonly setAside: NonNullable<Fit['setAside']>
  /** Loads asked for of which nothing is known, and why. */
  readonly unknown?: readonly { readonly concurrency: number; readonly why: UnknownLoad }[]
  /** What it was fitted to, those set aside too: `choose` takes them up where it is given the fit. */
  readonly loads: readonly MeasuredLoad[]
}

/**
 * Why nothing is said of a load outside those measured: it is many times the greatest; the law is believed between them only; or what
 * the law says of it has no bounds worth telling.
 */
export type UnknownLoad = 'tooFar' | 'betweenOnly' | 'tooLoose'

/** What one load was seen to give; repeats of a load are one. */
export interface MeasuredLoad {
  /** Requests in flight. */
  readonly concurrency: number
  /** How many one replica decodes at once. */
  readonly batch: number
  readonly tokensPerSecondPerUser: number
  /** Of the whole server. */
  readonly outputTokensPerSecond: number
  readonly ttftMs?: number
  /** Of a run: the context that a stream holds, the prompt tokens that come with each of its tokens, the share of them that is others'. */
  readonly contextTokens?: number
  readonly promptTokens?: number
  readonly othersShare?: number
  readonly attainment?: number
  readonly unsteady?: true
  readonly fault?: string
  /** Indices of the file's rows or the run's points that it stands for. */
  readonly points: readonly number[]
}

export interface FittedPoint extends FrontierPoint {
  /** Tokens of context that a stream holds on average, where points of several lengths were fitted together. */
  readonly contextTokens?: number
}
