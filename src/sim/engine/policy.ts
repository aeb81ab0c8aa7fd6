/** How an engine fills its steps. */
export interface EnginePolicy {
  /** The most sequences that run at once. */
  readonly maxNumSeqs: number
  /** The most tokens of one step: one of each sequence that decodes, the rest of prompts. It bounds the batch too. */
  readonly maxBatchedTokens: number
  /** Tokens that the KV cache holds; Infinity: no limit. Whole blocks of them count. */
  readonly kvTokens: number
  /** Tokens of a KV block. */
  readonly blockTokens: number
  /**
   * `chunked`: a step reads prompts in the room that decode leaves, in pieces. `first`: whole prompts that wait go before any decode, in
   * steps of their own.
   */
  readonly prefill: 'chunked' | 'first'
  /** `preempt`: blocks are taken as tokens come, and the last admitted gives way. `reserve`: prompt and whole answer are held from the start. */
  readonly kv: 'preempt' | 'reserve'
  /** In which order requests are admitted, and in which they give way. */
  readonly admission: 'fcfs' | 'priority'
  /** The next step is decided when the one before begins, not when it ends. */
  readonly asynchronous: boolean
  /** Blocks of the same beginning are read once and shared, and stay until their room is needed. */
  readonly prefixCache: boolean
  /** A prompt is admitted only where all of it has room, not just its first chunk. */
  readonly wholePrompt: boolean
}

const DEFAULT_POLICY: EnginePolicy = {
  maxNumSeqs: 4096,
  maxBatchedTokens: 8192,
  kvTokens: Number.POSITIVE_INFINITY,
  blockTokens: 16,
  prefill: 'chunked',
  kv: 'preempt',
  admission: 'fcfs',
  asynchronous: false,
  prefixCache: false,
  wholePrompt: false,
}

/** What is said, and of all else what `twospeed simulate` takes of a law: no limit on the cache, prompts in chunks, first come first served. */
export const enginePolicy = (said: Partial<EnginePolicy> = {}): EnginePolicy => ({ ...DEFAULT_POLICY, ...said })
