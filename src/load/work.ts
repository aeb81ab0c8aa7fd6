import { bodyMaker } from './dialect.ts'
import type { Exchange } from './exchange.ts'
import type { RunPlan } from './header.ts'
import { createPrompts } from './prompts.ts'

/** What one request asks for. */
export type Ask = Pick<Exchange, 'body' | 'askedInputTokens' | 'askedOutputTokens'>

/** What is asked of the server, request after request. The same seed asks the same. */
export interface Work {
  /** The next request of this user; in an open loop, of this arrival, counted from 0. */
  next(user: number): Ask
}

export function createWork({ found, inputTokens, outputTokens }: RunPlan, seed: string): Work {
  const prompts = createPrompts(seed)
  const bodyOf = bodyMaker(found.dialect, outputTokens)
  return {
    next: () => ({
      body: bodyOf(prompts.next(found.words)),
      askedInputTokens: inputTokens,
      askedOutputTokens: outputTokens,
    }),
  }
}
