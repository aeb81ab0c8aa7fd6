import type { Product } from '../core/index.ts'

export type { Product }

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
