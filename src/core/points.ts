/** One row of a points file: what a whole server did at one load, as measured by whatever tool. */
export interface PointsRow {
  /** Requests in flight. */
  readonly concurrency: number
  /** Of the whole server, output only. */
  readonly outputTokensPerSecond: number
  /** Absent: output ÷ concurrency. */
  readonly tokensPerSecondPerUser?: number
  readonly ttftMs?: number
}
