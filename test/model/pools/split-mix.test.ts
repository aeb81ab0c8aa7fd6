import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Link } from '../../../src/model/pools/link.ts'
import { type MixedLoad, type MixedPools, mostBeside } from '../../../src/model/pools/split-mix.ts'
import { type SplitObjective, type SplitWay, splitHolds, splitWay } from '../../../src/model/pools/split-way.ts'
import type { Lengths } from '../../../src/model/roofline/index.ts'
import { affinePools } from './affine-pools.ts'

const CHAT: Lengths = { inputTokens: 1000, outputTokens: 200 }

function wayOf(lengths: Lengths, objective: SplitObjective = {}, link?: Link): SplitWay {
  const { reader, writer, link: own } = affinePools({ lengths, ...(link !== undefined && { link }) })
  const way = splitWay(reader, writer, lengths, own, objective)
  if (way === undefined) throw new Error('it is not held')
  return way
}

interface Asked extends MixedPools {
  readonly objective?: SplitObjective
  readonly batch?: Lengths
  readonly link?: Link
}

function beside({ objective = { floor: 50 }, batch = CHAT, link, ...pools }: Asked): MixedLoad | undefined {
  return mostBeside(wayOf(CHAT, objective, link), wayOf(batch, {}, link), pools)
}

/** 60 at 20 ms a step are 15 a second of those that answer; 36 a second are read. */
describe('a batch beside others on split pools, by hand', () => {
  it('has what those that answer have left at the floor', () => {
    const found = beside({ prefill: 3, decode: 7, requestsPerSecond: 60 })
    expect(found?.requestsPerSecond).toBeCloseTo(7 * 15 - 60, 6)
    expect(found).toMatchObject({ endedBy: 'floor' })
    expect(found?.tokensPerSecondPerUser).toBeCloseTo(50, 6)
    expect(found?.batch).toBeCloseTo(60, 6)
  })

  it('has what those that read have left where that is less', () => {
    const found = beside({ prefill: 3, decode: 8, requestsPerSecond: 60 })
    expect(found?.requestsPerSecond).toBeCloseTo(3 * 36 - 60, 6)
    expect(found?.endedBy).toBe('prefill')
    expect(found?.tokensPerSecondPerUser).toBeGreaterThan(50)
  })

  it('of other lengths takes as much time of each pool as those do', () => {
    // Answers of 400: two of the others each. Prompts of 500 are read at 80 a second.
    const longer = beside({
      prefill: 3,
      decode: 7,
      requestsPerSecond: 60,
      batch: { inputTokens: 500, outputTokens: 400 },
    })
    expect(longer?.requestsPerSecond).toBeCloseTo((7 * 15 - 60) / 2, 6)
    const shorter = beside({
      prefill: 3,
      decode: 70,
      requestsPerSecond: 60,
      batch: { inputTokens: 500, outputTokens: 20 },
    })
    expect(shorter?.requestsPerSecond).toBeCloseTo((0.9 - 60 / 120) * 3 * 80, 6)
  })

  it('is nothing where those that read, or those that answer, are full', () => {
    const read = beside({ prefill: 1, decode: 9, requestsPerSecond: 36 })
    expect(read).toMatchObject({ requestsPerSecond: 0, endedBy: 'prefill' })
    const answered = beside({ prefill: 9, decode: 2, requestsPerSecond: 30 })
    expect(answered).toMatchObject({ requestsPerSecond: 0, endedBy: 'floor' })
    expect(beside({ prefill: 1, decode: 9, requestsPerSecond: 36.1 })).toBeUndefined()
    expect(beside({ prefill: 1, decode: 9, requestsPerSecond: 30 })?.requestsPerSecond).toBeCloseTo(6, 6)
  })

  it('is what the link carries where that is least', () => {
    const link = { name: 'slow', bytesPerSecond: 1e9 }
    const { transferS } = wayOf(CHAT, {}, link)
    const most = (0.9 * 4) / transferS
    const found = beside({ prefill: 4, decode: 20, requestsPerSecond: most / 4, link })
    expect(found?.requestsPerSecond).toBeCloseTo((3 * most) / 4, 6)
    expect(found?.endedBy).toBe('link')
  })

  it('leaves the others their first token: with one that reads the wait is M/G/1', () => {
    const batch = { inputTokens: 500, outputTokens: 20 }
    const [objective, rate] = [{ floor: 50, ttftMs: 60 }, 12]
    const found = beside({ prefill: 1, decode: 50, requestsPerSecond: rate, objective, batch })
    const more = found?.requestsPerSecond ?? 0
    expect(found).toMatchObject({ endedBy: 'ttft', ttftMs: expect.closeTo(60, 4) })
    const [own, other] = [0.025, 1 / 80]
    const busy = rate * own + more * other
    const waitS = (rate * own ** 2 + more * other ** 2) / (2 * (1 - busy))
    const stepS = 1 / (found?.tokensPerSecondPerUser ?? 1)
    expect(waitS + own + 1.5 * stepS).toBeCloseTo(0.06, 5)
    expect(beside({ prefill: 1, decode: 50, requestsPerSecond: rate, batch })?.requestsPerSecond).toBeGreaterThan(more)
  })
})

describe('whatever comes', () => {
  const asked = fc.record({
    prefill: fc.integer({ min: 1, max: 6 }),
    decode: fc.integer({ min: 1, max: 12 }),
    requestsPerSecond: fc.double({ min: 0, max: 150, noNaN: true }),
    objective: fc.record({
      floor: fc.double({ min: 20, max: 120, noNaN: true }),
      ttftMs: fc.double({ min: 45, max: 400, noNaN: true }),
    }),
    batch: fc.record({
      inputTokens: fc.integer({ min: 10, max: 4000 }),
      outputTokens: fc.integer({ min: 2, max: 900 }),
    }),
  })

  it('neither pool does more than it can, and the others have what they are to have', () => {
    fc.assert(
      fc.property(asked, (all) => {
        const found = beside(all)
        const { prefill, decode, requestsPerSecond, objective, batch } = all
        const holds = splitHolds(wayOf(CHAT, objective), prefill, decode, requestsPerSecond) !== undefined
        // Whole streams are a little fewer.
        if (holds) expect(found).toBeDefined()
        if (found === undefined) return
        const other = wayOf(batch)
        const more = found.requestsPerSecond
        const read = requestsPerSecond / 40 + more / other.reader.requestsPerSecond
        expect(read / prefill).toBeLessThanOrEqual(0.9 + 1e-6)
        const streams = (requestsPerSecond * 200 + more * batch.outputTokens) / found.tokensPerSecondPerUser
        expect(streams / decode / Math.max(found.batch, 1e-12)).toBeLessThanOrEqual(1 + 1e-6)
        expect(found.batch).toBeLessThanOrEqual(256 * (1 + 1e-6))
        expect(found.tokensPerSecondPerUser).toBeGreaterThanOrEqual(objective.floor * (1 - 1e-6))
        expect(found.ttftMs).toBeLessThanOrEqual(objective.ttftMs * (1 + 1e-6))
      }),
      { seed: 7, numRuns: 80 },
    )
  })

  it('more instances of either kind never take less of it, and more of the others never leave more', () => {
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 }), (all, answer, read) => {
        const most = (of: Partial<MixedPools>): number => beside({ ...all, ...of })?.requestsPerSecond ?? 0
        const base = most({})
        const slack = 1e-6 + 1e-6 * base
        expect(most({ prefill: all.prefill + read, decode: all.decode + answer })).toBeGreaterThanOrEqual(base - slack)
        expect(most({ prefill: 2 * all.prefill, decode: 2 * all.decode })).toBeGreaterThanOrEqual(base - slack)
        expect(most({ requestsPerSecond: 1.2 * all.requestsPerSecond })).toBeLessThanOrEqual(base + slack)
      }),
      { seed: 8, numRuns: 60 },
    )
  })
})
