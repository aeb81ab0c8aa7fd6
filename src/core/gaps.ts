import { createBins } from './bins.ts'
import { type Counted, countedDistribution, createGapCounts, type GapCounts, union } from './gap-counts.ts'
import type { Stream } from './stream.ts'
import type { Distribution } from './summary.ts'

/** Gaps between token-bearing events, raw and per token. Microseconds. */
export interface GapMeter {
  add(stream: Stream): void
  /** So many gaps of this length, each before one token, wherever they were. */
  addCounted(gapUs: number, count: number): void
  raw(): Distribution
  /**
   * Each gap over the k tokens of the event that ends it, as k samples (speculative decoding, a stream interval). Undefined while every
   * known event bore one token, for then it says nothing new; answers whose events are not known token by token are left out.
   */
  perToken(): Distribution | undefined
}

export function createGapMeter(): GapMeter {
  const unknown = createGapCounts()
  const ofOne = createGapCounts()
  const ofSeveral = createGapCounts()
  const counted = createBins()
  /** The gaps of `ofSeveral` again, by the tokens that each brought. */
  const byTokens = new Map<number, GapCounts>()

  const addPerToken = (gapsUs: readonly number[], tokensPerEvent: readonly number[]): void => {
    let gapUs = 0
    for (let gap = 0; gap < gapsUs.length; gap++) {
      gapUs += gapsUs[gap] ?? 0
      const tokens = tokensPerEvent[gap + 1] ?? 0
      // An event of no token ends nothing: its gap is part of the next one.
      if (tokens === 0) continue
      const counts = byTokens.get(tokens) ?? createGapCounts()
      byTokens.set(tokens, counts)
      counts.add(gapUs)
      gapUs = 0
    }
  }

  return {
    add: ({ record, events }) => {
      const { gapsUs, tokensPerEvent, outputTokens } = record
      const areOne = tokensPerEvent?.every((tokens, event) => event === 0 || tokens === 1) ?? outputTokens === events
      const counts = areOne ? ofOne : tokensPerEvent === undefined ? unknown : ofSeveral
      for (const gap of gapsUs) counts.add(gap)
      if (!areOne && tokensPerEvent !== undefined) addPerToken(gapsUs, tokensPerEvent)
    },
    addCounted: counted.add,
    raw: () => countedDistribution(union([unknown, ofOne, ofSeveral, counted].map((counts) => counts.counted()))),
    perToken: () => {
      if (byTokens.size === 0) return undefined
      const spread = [...byTokens].map(([tokens, counts]) => overTokens(counts.counted(), tokens))
      return countedDistribution(union([ofOne.counted(), counted.counted(), ...spread]))
    },
  }
}

const overTokens = ({ values, counts }: Counted, tokens: number): Counted => ({
  values: values.map((gapUs) => gapUs / tokens),
  counts: counts.map((count) => count * tokens),
})
