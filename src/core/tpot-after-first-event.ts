import { createLongSamples } from './long-samples.ts'
import type { Stream } from './stream.ts'
import type { Distribution } from './summary.ts'

/**
 * TPOT where the first event bore k tokens: they took no gap, so (lastToken − firstToken) / (N − 1) spreads the interval too thin, and
 * interval / (N − k) stands beside it.
 */
export interface TpotAfterFirstEvent {
  add(stream: Stream, tpotUs: number): void
  /** Microseconds; undefined while no first event bore more than one token. */
  distribution(): Distribution | undefined
  /** The two means, over the same answers, are more than 5 % apart. */
  isFarFromTpot(): boolean
}

export function createTpotAfterFirstEvent(): TpotAfterFirstEvent {
  const after = createLongSamples()
  const tpot = createLongSamples()
  let bundled = false
  return {
    add: ({ record, intervalUs }, us) => {
      const first = record.tokensPerEvent?.[0]
      if (first === undefined || record.outputTokens <= first) return
      if (first > 1) bundled = true
      // A first event of no token is like one of one: TPOT stands.
      after.push(intervalUs / (record.outputTokens - Math.max(1, first)))
      tpot.push(us)
    },
    distribution: () => (bundled ? after : undefined),
    isFarFromTpot: () => bundled && (after.mean() ?? 0) > 1.05 * (tpot.mean() ?? 0),
  }
}
