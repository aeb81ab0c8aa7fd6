/**
 * The request record: the one thing that the load generator, the simulator and the gateway all emit, and from which every figure is
 * computed. Times are seconds on a monotonic clock from the run's start; gaps are whole microseconds.
 */
export type Outcome = 'ok' | 'failed' | 'cancelled' | 'dropped'

export const ERROR_KINDS = [
  'connect',
  'tls',
  'http',
  'timeout',
  'reset',
  'truncated',
  'malformed',
  'server',
  'notStreaming',
  'empty',
] as const
export type ErrorKind = (typeof ERROR_KINDS)[number]

/** Where `outputTokens` comes from: the server's `usage`, a tokenizer, or the count of token-bearing events. */
export type TokenSource = 'usage' | 'tokenizer' | 'events'

export interface RequestFault {
  readonly kind: ErrorKind
  readonly message: string
  /** HTTP status, for kind `http`. */
  readonly status?: number
}

export interface RequestRecord {
  readonly id: string
  /** Index into the run's `points`. */
  readonly point: number
  /** Open loop: when the schedule wanted it sent. */
  readonly scheduledS?: number
  /** First byte written; for `dropped`, when it was given up. */
  readonly sentS: number
  /** Connect and TLS time paid before `sentS`, where this request opened its connection. Never part of TTFT. */
  readonly connectMs?: number
  /** First byte of the answer's body: far before `firstTokenS` it points to an early role chunk or a buffering proxy. */
  readonly firstByteS?: number
  /** Arrival of the first and the last event that bears a token. */
  readonly firstTokenS?: number
  readonly lastTokenS?: number
  readonly endS: number
  readonly outcome: Outcome
  readonly error?: RequestFault
  readonly finishReason?: string
  /** Lengths asked for; `inputTokens` and `outputTokens` are what was counted. */
  readonly askedInputTokens?: number
  readonly askedOutputTokens?: number
  readonly inputTokens?: number
  /** Of the input, how many the server says came from its prefix cache. */
  readonly cachedInputTokens?: number
  readonly outputTokens: number
  readonly tokenSource: TokenSource
  /** Gaps between consecutive token-bearing events: differences of arrival times rounded to whole microseconds. */
  readonly gapsUs: readonly number[]
  /** Tokens that each token-bearing event carried; absent: `outputTokens` are spread evenly over the events. */
  readonly tokensPerEvent?: readonly number[]
  /** How many choices the answer held, where more than one: then it has no per-user speed. */
  readonly choices?: number
}
