/** One row of a points file: what a whole server did at one load, as measured by whatever tool. */
export interface PointsRow {
  /** Requests in flight. */
  readonly concurrency: number
  /** Of the whole server, output only. */
  readonly outputTokensPerSecond: number
  /** Absent: output ÷ concurrency. */
  readonly tokensPerSecondPerUser?: number
  readonly ttftMs?: number
  /** Why its speed is not the server's own, where that is known; a stable word. No law is fitted to it. */
  readonly fault?: string
}
