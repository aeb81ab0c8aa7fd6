import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fewestPools, leastPools } from '../../../src/model/pools/fewest-pools.ts'
import type { Pool } from '../../../src/model/pools/split.ts'
import { splitLoop } from '../../../src/model/pools/split-loop.ts'
import {
  type SplitObjective,
  type SplitWay,
  splitHolds,
  splitLoadAt,
  splitWay,
} from '../../../src/model/pools/split-way.ts'
import { affinePools, TIMES } from './affine-pools.ts'

/** Of one prompt of 1000 tokens, and of a step of n sequences. */
const READ = TIMES.base + 1000 * TIMES.perPromptToken
const stepS = (n: number): number => TIMES.base + TIMES.perSequence * n

function wayOf(
  objective: SplitObjective,
  prefill: Partial<Pool> = {},
  decode: Partial<Pool> = {},
): SplitWay | undefined {
  const { reader, writer, lengths, link } = affinePools({
    prefill: { count: 1, tp: 1, ...prefill },
    decode: { count: 1, tp: 1, ...decode },
  })
  return splitWay(reader, writer, lengths, link, objective)
}

function held(objective: SplitObjective, prefill?: Partial<Pool>, decode?: Partial<Pool>): SplitWay {
  const way = wayOf(objective, prefill, decode)
  if (way === undefined) throw new Error('it is not held')
  return way
}

describe('what one instance that answers holds', () => {
  it('is what the floor allows: 60 at 20 ms a step', () => {
    const { most, binding } = held({ floor: 50 })
    expect(most).toMatchObject({ batch: 60, requestsPerSecond: expect.closeTo(60 / (200 * 0.02), 9) })
    expect(binding).toBe('floor')
  })

  it('is fewer where a step must leave time for the first token: 25 ms to read and 1½ steps in 40 ms', () => {
    const { most, binding } = held({ floor: 50, ttftMs: 40.001 })
    expect(most.batch).toBe(20)
    expect(READ + 1.5 * stepS(20)).toBeCloseTo(0.04, 12)
    expect(binding).toBe('ttft')
  })

  it('is its places where the floor allows more', () => {
    expect(held({ floor: 1 })).toMatchObject({ most: { batch: 256 }, binding: 'serverLimit' })
  })

  it('is nothing where one alone is too slow, or its first token too late', () => {
    expect(wayOf({ floor: 191 })).toBeUndefined()
    expect(wayOf({ floor: 190 })).toBeDefined()
    expect(wayOf({ ttftMs: 32.8 })).toBeUndefined()
    expect(wayOf({ ttftMs: 32.9 })).toBeDefined()
  })
})

describe('the load that comes by itself', () => {
  it('is that of a closed loop with as many in flight', () => {
    for (const [prefill, decode, rate] of [
      [1, 2, 20],
      [3, 5, 70],
      [4, 12, 130],
    ] as const) {
      const load = splitLoadAt(held({ floor: 1 }), prefill, decode, rate)
      const { ttftMs = 0, tokensPerSecondPerUser = 1, batch = 0 } = load ?? {}
      const inFlight = rate * (ttftMs / 1000 + 199 / tokensPerSecondPerUser)
      const split = affinePools({ prefill: { count: prefill, tp: 1 }, decode: { count: decode, tp: 1 } })
      const closed = splitLoop(split, inFlight)
      expect(closed.outputTokensPerSecond / 200).toBeCloseTo(rate, 0)
      expect(Math.abs(closed.tokensPerSecondPerUser / tokensPerSecondPerUser - 1)).toBeLessThan(0.01)
      expect(Math.abs(closed.ttftMs / ttftMs - 1)).toBeLessThan(0.03)
      expect(Math.abs(closed.batch / (batch * decode) - 1)).toBeLessThan(0.01)
    }
  })

  it('is none beyond what is read to its useful share, or answered at all', () => {
    const way = held({ floor: 1 })
    expect(splitLoadAt(way, 1, 100, 0.9 / READ)).toBeDefined()
    expect(splitLoadAt(way, 1, 100, 0.91 / READ)).toBeUndefined()
    const most = 256 / (200 * stepS(256))
    expect(splitLoadAt(way, 100, 1, most)).toBeDefined()
    expect(splitLoadAt(way, 100, 1, 1.01 * most)).toBeUndefined()
  })
})

describe('the fewest instances', () => {
  const rates = fc.double({ min: 0.5, max: 150, noNaN: true })
  const objectives = fc.record({
    floor: fc.double({ min: 20, max: 150, noNaN: true }),
    ttftMs: fc.double({ min: 45, max: 400, noNaN: true }),
  })
  const sizes = fc.constantFrom(1, 2, 4)

  it('are by hand those of each side alone, where nothing but rates counts', () => {
    // 36 a second read by one, 15 answered by one.
    expect(fewestPools(held({ floor: 50 }), 100)).toMatchObject({ prefill: 3, decode: 7, gpus: 10 })
    expect(fewestPools(held({ floor: 50 }), 36)).toMatchObject({ prefill: 1, decode: 3 })
    expect(fewestPools(held({ floor: 50 }), 36.1)).toMatchObject({ prefill: 2, decode: 3 })
    expect(fewestPools(held({ floor: 50 }, { tp: 4 }, { tp: 2 }), 100)?.gpus).toBe(3 * 4 + 7 * 2)
  })

  it('are more where prompts would wait too long to be read', () => {
    const loose = fewestPools(held({ floor: 50 }), 36)
    const tight = fewestPools(held({ floor: 50, ttftMs: 70 }), 36)
    expect(loose?.prefill).toBe(1)
    expect(tight?.prefill).toBe(2)
    expect(loose?.load.ttftMs).toBeGreaterThan(70)
    expect(tight?.load.ttftMs).toBeLessThanOrEqual(70)
  })

  it('are those of all pairs, counted out', () => {
    fc.assert(
      fc.property(rates, objectives, sizes, sizes, (rate, objective, reads, answers) => {
        const way = wayOf(objective, { tp: reads }, { tp: answers })
        if (way === undefined) return
        let least = Number.POSITIVE_INFINITY
        for (let prefill = 1; prefill <= 12; prefill++) {
          for (let decode = 1; decode <= 60; decode++) {
            const gpus = prefill * reads + decode * answers
            if (gpus < least && splitHolds(way, prefill, decode, rate) !== undefined) least = gpus
          }
        }
        const found = fewestPools(way, rate)
        if (least === Number.POSITIVE_INFINITY) return
        expect(found?.gpus).toBe(least)
        expect(leastPools(way, rate).gpus).toBeLessThanOrEqual(least)
        expect(splitHolds(way, found?.prefill ?? 0, found?.decode ?? 0, rate)).toEqual(found?.load)
      }),
      { seed: 6, numRuns: 60 },
    )
  })

  it('are never fewer for more requests, for a higher floor, or for less time', () => {
    fc.assert(
      fc.property(rates, objectives, fc.double({ min: 1, max: 2, noNaN: true }), (rate, objective, more) => {
        const gpus = (ofRate: number, { floor, ttftMs }: Required<SplitObjective>): number => {
          const way = wayOf({ floor, ttftMs })
          return (way && fewestPools(way, ofRate)?.gpus) ?? Number.POSITIVE_INFINITY
        }
        const base = gpus(rate, objective)
        expect(gpus(more * rate, objective)).toBeGreaterThanOrEqual(base)
        expect(gpus(rate, { ...objective, floor: more * objective.floor })).toBeGreaterThanOrEqual(base)
        expect(gpus(rate, { ...objective, ttftMs: objective.ttftMs / more })).toBeGreaterThanOrEqual(base)
      }),
      { seed: 6, numRuns: 60 },
    )
  })

  it('are found at once for tens of thousands', () => {
    const found = fewestPools(held({ floor: 50, ttftMs: 60 }), 400_000)
    expect(found).toMatchObject({ prefill: Math.ceil(400_000 / 36), decode: Math.ceil(400_000 / 15) })
  })
})
