/** What one step of an engine has to do. An engine fills one such object again and again, so that a step allocates nothing. */
export interface StepLoad {
  /** Sequences that decode: each makes one token. */
  decoding: number
  /** KV tokens that those read, all together: of each its prompt and what it has made so far. */
  decodeKvTokens: number
  /** Prompts whose last chunk is in the step: each makes a token too. */
  completing: number
  /** Tokens of those, all together, from the first to the last of each. */
  completingKvTokens: number
  /** Tokens of prompts, and of answers read anew after a preemption, that the step reads. */
  prefillTokens: number
  /** Mean tokens that stand before those, in the cache. */
  prefillContextTokens: number
}

/** How long a step takes. All that the simulator knows of hardware. */
export interface StepTime {
  /** Seconds, above 0 for every load that has a token. A pure function of the load. */
  seconds(load: StepLoad): number
  /**
   * For how many steps from this one on, `most` at most, the time is a straight line in `decodeKvTokens`, which grows by `decoding` a
   * step while nothing else changes. A law is straight for ever; a roofline has a corner where another part of it binds.
   */
  straightFor(load: StepLoad, most: number): number
}
