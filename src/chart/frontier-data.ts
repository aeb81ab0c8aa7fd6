import type { Interval } from '../core/index.ts'

/** One load on the chart. */
export interface ChartPoint {
  readonly concurrency: number
  /** What was asked for, where that is not so many in flight: `20/s`. */
  readonly asked?: string
  /** What stands by it in place of its load; an empty one is none. */
  readonly label?: string
  readonly tokensPerSecondPerUser: number
  /** Per GPU, or of the server where GPUs are unknown: as `per` says. */
  readonly outputTokensPerSecond: number
  /** `beyondLimit`: more load than the server decodes at once. `doubtful`: its speed is not the server's own. `foretold`: not measured. */
  readonly kind: 'measured' | 'foretold' | 'beyondLimit' | 'doubtful'
  /** How sure its pace and its output are, where that is known. */
  readonly pace?: Interval
  readonly output?: Interval
}

/** The law at one load, with the interval of the pace. */
export interface BandPoint {
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
  readonly low: number
  readonly high: number
}

export interface ChosenMark {
  /** A product, or another way to serve. */
  readonly name: string
  readonly concurrency: number
  readonly asked?: string
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
}

/** The straight line from (soloLimit, 0) to (0, ceiling). */
export interface LawLine {
  readonly soloLimit: number
  readonly ceiling: number
  /**
   * `untested`: too few points to tell its error, so it is dashed throughout. `refuted`: the points miss it, so the axes follow the
   * points, and what of it lies beyond them is cut off.
   */
  readonly trust: 'reliable' | 'untested' | 'refuted'
}

export interface FrontierChart {
  readonly title: string
  /** What the second speed is per: `GPU`, or `server` where the GPUs are unknown. */
  readonly per: 'GPU' | 'server' | 'machine'
  readonly points: readonly ChartPoint[]
  readonly law?: LawLine
  /** Ascending by load. */
  readonly band?: readonly BandPoint[]
  readonly chosen?: readonly ChosenMark[]
  /** Where other ways to serve would run. */
  readonly others?: readonly ChosenMark[]
  /** The least pace that is asked for. */
  readonly floor?: number
  /** Makes ids unique where several charts share a page. */
  readonly id?: string
}
