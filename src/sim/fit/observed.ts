/** A request that a real server answered, on one clock for all. What it came to is told of those that a law is fitted to. */
export interface ObservedRequest {
  readonly atS: number
  readonly promptTokens: number
  readonly outputTokens: number
  readonly outcome?: Outcome
}

export interface Outcome {
  readonly firstTokenS: number
  readonly lastTokenS: number
}

/** What a server says of itself at instants, seconds apart, on a clock of its own whose lead over that of the requests is found. */
export interface ObservedInstant {
  readonly atS: number
  /** Since the instant before: tokens of prompts whose first token came, and tokens made. */
  readonly promptTokens: number
  readonly outputTokens: number
  readonly running: number
  readonly waiting: number
}
