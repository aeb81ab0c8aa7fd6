/** What a product asks of a server. A pace product wants as many users as it can hold; a batch one wants tokens. */
export interface Product {
  readonly name: string
  readonly goal: 'pace' | 'throughput'
  /** The floor: tok/s/user. */
  readonly tokensPerSecond?: number
  readonly ttftMs?: number
  /** The share of requests that must get both; absent: the typical one. */
  readonly share?: number
  /** Where the figures come from. */
  readonly source?: string
}

/**
 * Chat takes the limits of MLPerf Inference v5.0 for Llama 2 70B Interactive, which stands for chatbots: 40 ms a token and 450 ms to
 * the first (mlcommons.org/2025/04/llm-inference-v5). Its 25 tok/s are some four times what a person reads.
 */
export const PRODUCTS: Readonly<Record<'chat' | 'batch', Product>> = {
  chat: {
    name: 'chat',
    goal: 'pace',
    tokensPerSecond: 25,
    ttftMs: 450,
    source: 'MLPerf Inference v5.0, Llama 2 70B Interactive',
  },
  batch: { name: 'batch', goal: 'throughput' },
}
