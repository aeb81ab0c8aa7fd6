import { type Counted, countedDistribution, createGapCounts, type GapCounts } from './gap-counts.ts'
import { createSamples } from './samples.ts'
import type { Stream } from './stream.ts'
import type { Distribution } from './summary.ts'

/**
 * What changes when one event bears several tokens (speculative decoding, a stream interval): the gap per token, and the interval without
 * the tokens that came with the first event. Both stay undefined while every known event bore one token, for then they say nothing new.
 */
export interface GapsPerToken {
  add(stream: Stream): void
  /** Microseconds per token. */
  distribution(): Distribution | undefined
}

/** Each gap over the k tokens of the event that ends it, as k samples; a gap that ends in no token is part of the next one. */
export function createGapsPerToken(): GapsPerToken {
  const byTokens = new Map<number, GapCounts>()
  return {
    add: ({ record, events }) => {
      const { gapsUs, tokensPerEvent } = record
      if (tokensPerEvent === undefined && record.outputTokens !== events) return
      let gapUs = 0
      for (let gap = 0; gap < gapsUs.length; gap++) {
        gapUs += gapsUs[gap] ?? 0
        const tokens = tokensPerEvent?.[gap + 1] ?? 1
        if (tokens === 0) continue
        const counts = byTokens.get(tokens) ?? createGapCounts()
        byTokens.set(tokens, counts)
        counts.add(gapUs)
        gapUs = 0
      }
    },
    distribution: () => {
      if ([...byTokens.keys()].every((tokens) => tokens === 1)) return undefined
      const entries: Counted[] = []
      for (const [tokens, counts] of byTokens) {
        for (const { value, count } of counts.counted()) entries.push({ value: value / tokens, count: count * tokens })
      }
      return countedDistribution(entries)
    },
  }
}

export interface TpotAfterFirstEvent {
  add(stream: Stream, tpotUs: number): void
  /** Microseconds per token after the first event's. */
  distribution(): Distribution | undefined
  /** The two means, over the same answers, are more than 5 % apart. */
  isFarFromTpot(): boolean
}

/** interval / (N − k) for answers whose first event bore k tokens: those took no gap, so TPOT spreads the interval too thin. */
export function createTpotAfterFirstEvent(): TpotAfterFirstEvent {
  const after = createSamples()
  const tpot = createSamples()
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
