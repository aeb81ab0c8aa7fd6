import { describe, expect, it } from 'vitest'
import { matchPools } from '../../../src/model/pools/matching.ts'
import { affinePools, TIMES } from './affine-pools.ts'

/** Prompts a second that one instance is trusted with, and answers a second of one that decodes 60 at 20 ms a step, 50 tok/s/user. */
const READ = 0.9 / (TIMES.base + 1000 * TIMES.perPromptToken)
const ANSWERED = 60 / (200 * 0.02)

describe('matching the pools', () => {
  it('takes the whole numbers of instances that give most at the floor', () => {
    // 36 a second read by one, 15 answered by one: 1 to 2.4.
    expect(matchPools(affinePools(), 50, 2)).toMatchObject({
      prefill: 1,
      decode: 1,
      requestsPerSecond: expect.closeTo(ANSWERED, 6),
    })
    expect(matchPools(affinePools(), 50, 4)).toMatchObject({
      prefill: 1,
      decode: 3,
      requestsPerSecond: expect.closeTo(READ, 6),
    })
    expect(matchPools(affinePools(), 50, 7)).toMatchObject({
      prefill: 2,
      decode: 5,
      requestsPerSecond: expect.closeTo(2 * READ, 6),
    })
  })

  it('is no worse than any other pair, as counting them all shows', () => {
    const split = affinePools({ prefill: { count: 1, tp: 2 } })
    for (let gpus = 3; gpus <= 40; gpus++) {
      let most = 0
      for (let prefill = 1; 2 * prefill < gpus; prefill++)
        for (let decode = 1; 2 * prefill + decode <= gpus; decode++)
          most = Math.max(most, Math.min(prefill * READ, decode * ANSWERED))
      const match = matchPools(split, 50, gpus)
      expect(match?.requestsPerSecond).toBeCloseTo(most, 6)
      expect(match?.tokensPerSecondPerGpu).toBeCloseTo((200 * most) / gpus, 6)
      expect(match?.gpus).toBe(2 * (match?.prefill ?? 0) + (match?.decode ?? 0))
      expect(match?.gpus).toBeLessThanOrEqual(gpus)
    }
  })

  it('holds the floor with as many sequences as have a place', () => {
    // 1/(5 ms + 16·0.25 ms) is faster than the floor.
    const match = matchPools(affinePools({ maxNumSeqs: 16 }), 50, 2)
    expect(match?.tokensPerSecondPerUser).toBeCloseTo(1 / 0.009, 6)
    expect(matchPools(affinePools(), 50, 2)?.tokensPerSecondPerUser).toBeCloseTo(50, 6)
  })

  it('has no answer to a floor above the pace of one alone, nor to a single GPU', () => {
    expect(matchPools(affinePools(), 190.4, 8)).toBeDefined()
    expect(matchPools(affinePools(), 190.5, 8)).toBeUndefined()
    expect(matchPools(affinePools(), 50, 1)).toBeUndefined()
  })
})
