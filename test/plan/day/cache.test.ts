import { describe, expect, it } from 'vitest'
import type { CacheEffect, Product, Trace, TraceRow } from '../../../src/core/index.ts'
import type { SimulatedUnit } from '../../../src/plan/candidate.ts'
import { cacheOf } from '../../../src/plan/day/index.ts'
import { sliceOf } from '../../../src/plan/day/slice.ts'
import { enginePolicy, lawStepTime } from '../../../src/sim/index.ts'

const BLOCK = 512

/** A prompt token takes 50 µs: 4,096 of them 0.2 s. */
const unit = (kvTokens = Number.POSITIVE_INFINITY, perPrefillTokenS = 0.00005): SimulatedUnit => ({
  pools: [
    {
      name: 'pool',
      role: 'both',
      replicas: 1,
      dataParallel: 1,
      policy: enginePolicy({ maxNumSeqs: 64, kvTokens }),
      stepTime: lawStepTime({ baseS: 0.01, perSequenceS: 0.0002, perPrefillTokenS }),
    },
  ],
})
const chat: Product = { name: 'chat', goal: 'pace', tokensPerSecond: 20, ttftMs: 300, share: 0.9 }

/** Rows of so many full blocks, of the ids. */
const row = (atS: number, blocks: readonly number[]): TraceRow => ({
  atS,
  inputTokens: BLOCK * blocks.length,
  outputTokens: 20,
  blocks,
})

/** Conversations that come again and again, each with seven blocks of its own that it has said before and one that is new. */
function talks(conversations: number, turns: number, everyS: number): Trace {
  const rows = Array.from({ length: conversations * turns }, (_, i) => {
    // Not always in the same order, or requests in turn would come back to where they were.
    const conversation = (i * 7 + Math.floor(i / conversations)) % conversations
    const own = Array.from({ length: 7 }, (__, block) => 1000 * (1 + conversation) + block)
    return row(everyS * i, [...own, 1e6 + i])
  })
  return { rows, blockTokens: BLOCK, notes: [] }
}

function effect(...asked: Parameters<typeof cacheOf>): CacheEffect {
  const found = cacheOf(...asked)
  if (found === undefined) throw new Error('the trace says nothing of beginnings')
  return found
}

describe('conversations that come again', () => {
  const trace = talks(10, 30, 0.1)
  const { ways, repeatedShare, sentence } = effect(trace, { unit: unit(), replicas: 10, gpus: 4 }, chat)
  const [none, inTurn, byBeginning] = ways

  it('repeat what they have said, all but each first turn', () => {
    expect(repeatedShare).toBeCloseTo((7 / 8) * (29 / 30), 9)
  })

  it('are read anew without a cache, by each replica once in turn, and once where they are sent to their beginning', () => {
    expect(ways.map(({ cache, routing }) => [cache, routing])).toEqual([
      [false, 'leastInFlight'],
      [true, 'roundRobin'],
      [true, 'prefixCache'],
    ])
    expect(none?.cachedShare).toBe(0)
    // Of 30 turns on ten replicas some ten are the first of a replica.
    expect(inTurn?.cachedShare).toBeGreaterThan(0.3)
    expect(inTurn?.cachedShare).toBeLessThan(0.75)
    expect(byBeginning?.cachedShare).toBeGreaterThan(0.8)
    expect(byBeginning?.cachedShare).toBeLessThanOrEqual(repeatedShare)
  })

  it('wait less for it, more of them get what they are to have, and fewer replicas do', () => {
    expect(byBeginning?.ttftMs.p50).toBeLessThan(0.5 * (none?.ttftMs.p50 ?? 0))
    expect(byBeginning?.attainment).toBeGreaterThanOrEqual(none?.attainment ?? 1)
    expect(byBeginning?.replicas).toBeLessThan(none?.replicas ?? 0)
    expect(byBeginning?.gpus).toBe(4 * (byBeginning?.replicas ?? 0))
    expect(sentence).toContain('85 % of their prompt tokens have been there before')
  })

  it('are given no more than a cache has room for', () => {
    const small = effect(trace, { unit: unit(3 * 9 * BLOCK), replicas: 2 }, chat)
    const large = effect(trace, { unit: unit(), replicas: 2 }, chat)
    expect(small.ways[2]?.cachedShare).toBeLessThan(0.8 * (large.ways[2]?.cachedShare ?? 0))
    expect(small.ways[2]).not.toHaveProperty('gpus')
  })

  it('take the fewest replicas that hold the share: one fewer does not', () => {
    const least = none?.replicas ?? 0
    const attained = (replicas: number): number =>
      effect(trace, { unit: unit(), replicas }, chat).ways[0]?.attainment ?? 0
    expect(attained(least)).toBeGreaterThanOrEqual(0.9)
    expect(attained(least - 1)).toBeLessThan(0.9)
  })

  it('take more than were tried where no fleet is quick enough for a single prompt', () => {
    const { ways: late, sentence: told } = effect(trace, { unit: unit(), replicas: 2 }, { ...chat, ttftMs: 1 })
    expect(late.map(({ replicas }) => replicas)).toEqual([undefined, undefined, undefined])
    expect(told).toContain('more than were tried')
  })
})

it('says where nobody knows what reading a prompt costs', () => {
  const trace = talks(4, 4, 0.1)
  const free = effect(trace, { unit: unit(undefined, 0), replicas: 2 }, chat)
  const dear = effect(trace, { unit: unit(), replicas: 2 }, chat)
  expect([free.promptsCost, dear.promptsCost]).toEqual([false, true])
  expect(free.sentence).toContain('What reading a prompt costs is not known here')
  expect(dear.sentence).not.toContain('not known')
  expect(free.ways[2]?.cachedShare).toBeGreaterThan(0.5)
})

describe('no effect is told', () => {
  const trace = talks(4, 4, 0.1)
  it('of a trace without blocks, of a batch, or of requests that no replica holds', () => {
    const fleet = { unit: unit(), replicas: 2 }
    expect(cacheOf(trace, fleet, chat)).toBeDefined()
    const bare = { rows: trace.rows.map(({ blocks: _, ...rest }) => rest), notes: [] }
    expect(cacheOf(bare, fleet, chat)).toBeUndefined()
    expect(cacheOf(trace, fleet, { name: 'night', goal: 'throughput' })).toBeUndefined()
    expect(cacheOf(trace, { unit: unit(2 * BLOCK), replicas: 2 }, chat)).toBeUndefined()
  })
})

describe('a slice of a long trace', () => {
  // 400 conversations, and one beginning of all of them.
  const rows = talks(400, 50, 0.01).rows.map((each) => row(each.atS, [1, ...(each.blocks ?? [])]))
  const trace: Trace = { rows, blockTokens: BLOCK, notes: [] }

  it('keeps its share of the conversations, each of them whole', () => {
    const slice = sliceOf(trace, 100)
    expect(slice.replicas).toBe(20)
    const kept = new Set(slice.trace.rows.map(({ blocks = [] }) => blocks[1]))
    expect(kept.size / 400).toBeGreaterThan(0.13)
    expect(kept.size / 400).toBeLessThan(0.27)
    const until = slice.trace.rows.at(-1)?.atS ?? 0
    const whole = rows.filter(({ atS, blocks = [] }) => atS <= until && kept.has(blocks[1]))
    expect(slice.trace.rows).toEqual(whole)
  })

  it('is the first requests where the fleet is small, and all of a short trace', () => {
    expect(sliceOf(trace, 16)).toEqual({ replicas: 16, trace: { ...trace, rows: rows.slice(0, 4000) } })
    const short = talks(10, 10, 0.1)
    expect(sliceOf(short, 1000)).toEqual({ replicas: 1000, trace: short })
  })

  it('stands for the whole fleet', () => {
    const { playedOn, replicas, rows: played, ways, sentence } = effect(trace, { unit: unit(), replicas: 100 }, chat)
    expect({ playedOn, replicas, played }).toMatchObject({ playedOn: 20, replicas: 100 })
    expect(sentence).toContain(`a slice of the trace on 20 of 100 replicas`)
    for (const way of ways) expect((way.replicas ?? 5) % 5).toBe(0)
  })
})
