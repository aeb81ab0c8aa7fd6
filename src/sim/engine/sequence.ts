import type { TokenTimes } from '../../core/index.ts'

export type { TokenTimes }

/** A stretch of a prompt that others may begin with too, known by its id: same id, same tokens, and the same tokens before it. */
export interface PromptPart {
  readonly id: number
  readonly tokens: number
}

/** A request as an engine sees it. */
export interface Sequence {
  /** Rises in order of arrival over the whole run; it breaks every tie. */
  readonly id: number
  /** Which lane it is of: an index. */
  readonly lane: number
  /** A small whole number under which the observer wants its gaps counted. */
  readonly group: number
  /** At least 1. */
  readonly promptTokens: number
  /** At least 1. Of a pool that only reads prompts it is 1, and that token is made by the other pool. */
  readonly outputTokens: number
  /** Lower goes first, where the policy is by priority. */
  readonly priority: number
  /** What the prompt begins with; the rest is its own. Never more tokens than the prompt. */
  readonly parts?: readonly PromptPart[]
  /** The id under which a later prompt may begin with what is this one's own, prompt and answer. */
  readonly ownId?: number
  /** The whole prompt is here already: it came over a link, and the engine only writes the answer. */
  readonly isPrefilled?: boolean
}

/** What an engine tells of a sequence that has made its last token. Valid during the call only. */
export interface Finished {
  readonly sequence: Sequence
  /** Seconds on the run's clock. */
  readonly admittedS: number
  readonly firstTokenS: number
  readonly lastTokenS: number
  readonly times: TokenTimes
  readonly preemptions: number
  /** Tokens of its prompt that the prefix cache held when it was first admitted. */
  readonly cachedTokens: number
  /** Tokens that were read again after preemptions. */
  readonly recomputedTokens: number
}

/** What an engine tells of a sequence that it has not ended when the run stops. Valid during the call only. */
export interface Unfinished {
  readonly sequence: Sequence
  /** So far; 0: there is no first one either. */
  readonly outputTokens: number
  readonly firstTokenS: number
  readonly times: TokenTimes
}
