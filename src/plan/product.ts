import type { Product } from '../core/index.ts'

export type { Product }

export type ProductName = 'chat' | 'voice' | 'code' | 'agent' | 'reasoning' | 'batch'

/**
 * Each takes its limits from somewhere: from those that MLPerf Inference sets for a benchmark that stands for it (a pace is one over the
 * limit of a token), or from how people speak. A limit of MLPerf is for 99 requests in 100; here a product is of the typical request,
 * unless a share is asked for.
 *
 * - chat: 40 ms a token, 450 ms to the first (v5.0, Llama 2 70B Interactive; mlcommons.org/2025/04/llm-inference-v5). Its 25 tok/s
 *   are some four times what a person reads.
 * - voice: speech is read at 183 words a minute (M. Brysbaert, Journal of Memory and Language 109, 2019), which at four tokens to three
 *   words is 4.1 tok/s; between turns of a conversation are some 200 ms (S. Levinson and F. Torreira, Frontiers in Psychology 6:731, 2015).
 * - code: 30 ms a token, 500 ms to the first (v5.1, Llama 3.1 8B Interactive).
 * - agent: 15 ms a token, 2 s to the first (GPT-OSS 120B Interactive): a program reads, and goes on when the answer is whole.
 * - reasoning: 80 ms a token, 2 s to the first (v5.1, DeepSeek-R1 Server).
 */
export const PRODUCTS: Readonly<Record<ProductName, Product>> = {
  chat: {
    name: 'chat',
    goal: 'pace',
    tokensPerSecond: 25,
    ttftMs: 450,
    source: 'MLPerf Inference v5.0, Llama 2 70B Interactive',
  },
  voice: {
    name: 'voice',
    goal: 'pace',
    tokensPerSecond: 4.1,
    ttftMs: 200,
    source: 'speech of 183 words a minute, Brysbaert 2019; turns 200 ms apart, Levinson and Torreira 2015',
  },
  code: {
    name: 'code',
    goal: 'pace',
    tokensPerSecond: 1000 / 30,
    ttftMs: 500,
    source: 'MLPerf Inference v5.1, Llama 3.1 8B Interactive',
  },
  agent: {
    name: 'agent',
    goal: 'pace',
    tokensPerSecond: 1000 / 15,
    ttftMs: 2000,
    source: 'MLPerf Inference, GPT-OSS 120B Interactive',
  },
  reasoning: {
    name: 'reasoning',
    goal: 'pace',
    tokensPerSecond: 12.5,
    ttftMs: 2000,
    source: 'MLPerf Inference v5.1, DeepSeek-R1 Server',
  },
  batch: { name: 'batch', goal: 'throughput' },
}
