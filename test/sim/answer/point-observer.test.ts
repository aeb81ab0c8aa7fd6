import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Interval, Lengths } from '../../../src/core/index.ts'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import { enginePolicy } from '../../../src/sim/engine/policy.ts'
import type { Fleet, Pool } from '../../../src/sim/fleet/fleet.ts'
import { lawStepTime } from '../../../src/sim/step/law-step-time.ts'
import { scenarios } from '../fleet/random-fleet.ts'
import { reported, simulated } from './simulated.ts'

const law = { baseS: 0.005, perSequenceS: 0.00025, perThousandKvTokensS: 0.0005, perPrefillTokenS: 0.00002 }

const pool: Pool = {
  name: 'all',
  role: 'both',
  replicas: 1,
  dataParallel: 1,
  gpusPerReplica: 2,
  policy: enginePolicy({
    maxNumSeqs: 16,
    maxBatchedTokens: 256,
    kvTokens: 3000,
  }),
  stepTime: lawStepTime(law),
}
const fleet: Fleet = { pools: [pool], routing: 'leastInFlight' }

const work = {
  input: { kind: 'uniform', least: 20, most: 300 },
  output: { kind: 'uniform', least: 5, most: 60 },
} as const
const long = { kind: 'uniform', least: 150, most: 400 } as const
const closed = (users: number, seed = 'a', output: Lengths = work.output) => ({
  name: 'chat',
  priority: 0,
  users,
  source: createSource({ arrivals: { kind: 'users', users }, work: { ...work, output }, seed }),
})
const open = (rate: number) => ({
  name: 'open',
  priority: 0,
  source: createSource({ arrivals: { kind: 'rate', rate, process: { kind: 'poisson' } }, work, seed: 'b' }),
})

/** ITL apart (its gaps are not rounded, and told in bins), and what tells how sure a figure is, the records say the same. */
function expectSame({ point, records }: ReturnType<typeof simulated>, whole = reported(point, records)): void {
  const { latency, intervals: _, trends: __, simulation: ___, window, ...others } = point
  const { latency: told, intervals: _1, trends: _2, window: toldWindow, ...same } = whole
  expect(others).toEqual(same)
  expect({ ...window, reasons: [], steady: true }).toEqual({ ...toldWindow, reasons: [], steady: true })
  expect({ ...latency, itlMs: {} }).toEqual({ ...told, itlMs: {} })
  expect(Object.keys(latency.itlMs)).toEqual(Object.keys(told.itlMs))
  for (const [key, ms] of Object.entries(told.itlMs)) {
    expect(Math.abs((latency.itlMs[key as 'mean'] ?? 0) - ms)).toBeLessThan(0.001 * ms + 0.001)
  }
}

describe('the figures of a simulated point', () => {
  it('are those that a report makes of its records: a load that is played whole', () => {
    fc.assert(
      fc.property(scenarios, ({ fleet, lanes }) => {
        const run = simulated({ fleet, lanes: lanes(), load: { kind: 'trace', value: 1 } })
        expectSame(run)
        // Nothing is cut: each request that came has left.
        expect(run.point.littlesLaw.residual ?? 0).toBe(0)
        expect(run.point.requests.sent).toBe(run.records.length)
      }),
      { numRuns: 150, seed: 7 },
    )
  })

  it('and a load that is held: users who ask again, and requests that come at a rate', () => {
    const objectives = { ttftMs: 400, tokensPerSecond: 80 }
    for (const asked of [
      { lanes: [closed(8)], load: { kind: 'concurrency', value: 8 } } as const,
      { lanes: [open(6)], load: { kind: 'rate', value: 6 } } as const,
      { lanes: [open(6)], load: { kind: 'rate', value: 6 }, durationS: 20 } as const,
      { lanes: [closed(30)], load: { kind: 'concurrency', value: 30 } } as const,
    ]) {
      const run = simulated({ ...asked, fleet, objectives })
      expectSame(run, reported(run.point, run.records, objectives))
      expect(run.point.goodput?.attainment).toBeGreaterThan(0)
    }
    const run = simulated({ fleet, lanes: [closed(8, 'a', long)], load: { kind: 'concurrency', value: 8 }, objectives })
    expectSame(run, reported(run.point, run.records, objectives))
    expect(run.point.perUser.heldShare).toBeGreaterThan(0.1)
    expect(run.point.perUser.heldShare).toBeLessThan(1)
  })

  it('are as sure as those of the report: tokens are counted when steps made them', () => {
    const run = simulated({ fleet, lanes: [closed(8)], load: { kind: 'concurrency', value: 8 }, requests: 400 })
    const [told, whole] = [run.point.intervals, reported(run.point, run.records).intervals]
    const width = (of: Interval | undefined): number => (of?.high ?? 0) - (of?.low ?? 0)
    for (const [ours, theirs] of [
      [told?.outputTokensPerSecond, whole?.outputTokensPerSecond],
      [told?.littlesLaw?.decodeTokensPerSecondPerUser, whole?.littlesLaw?.decodeTokensPerSecondPerUser],
    ]) {
      expect(width(theirs)).toBeGreaterThan(0)
      expect(width(ours) / width(theirs)).toBeGreaterThan(0.8)
      expect(width(ours) / width(theirs)).toBeLessThan(1.25)
    }
    // Those of percentiles come from the requests themselves.
    expect([told?.perUser, told?.latency]).toEqual([whole?.perUser, whole?.latency])
  })

  it('with a server that sends several tokens at a time: tokens come later, and their times are those of whole events', () => {
    const asked = { fleet, lanes: [closed(8)], load: { kind: 'concurrency', value: 8 } } as const
    const run = simulated({ ...asked, lanes: [closed(8)], streamInterval: 4 })
    expectSame(run)
    const single = simulated({ ...asked, lanes: [closed(8)] })
    expect(run.point.latency.ttftMs).toEqual(single.point.latency.ttftMs)
    expect(run.point.latency.tpotMs).toEqual(single.point.latency.tpotMs)
    expect((run.point.latency.itlMs.p50 ?? 0) / (single.point.latency.itlMs.p50 ?? 1)).toBeCloseTo(4, 0)
    const [answer] = run.records
    expect(answer?.tokensPerEvent?.slice(0, 2)).toEqual([1, 4])
    expect(answer?.tokensPerEvent?.reduce((sum, tokens) => sum + tokens, 0)).toBe(answer?.outputTokens)
  })
})

describe('the window of a simulated point', () => {
  it('closes with the send that was asked for, and the load is held until all of it have ended', () => {
    const { point, records } = simulated({
      fleet,
      lanes: [closed(8)],
      load: { kind: 'concurrency', value: 8 },
      requests: 120,
    })
    expect(records).toHaveLength(120)
    expect(Math.max(...records.map(({ sentS }) => sentS))).toBeCloseTo(point.window.endS - 1e-6, 9)
    // All users are there to its end, but for the microseconds between an answer and the next request.
    expect(point.littlesLaw.inFlight).toBeCloseTo(8, 3)
    const before = records.filter(({ sentS }) => sentS < point.window.startS)
    expect(before.length).toBeGreaterThanOrEqual(16)
    expect(point.requests.sent).toBe(120 - before.length)
  })

  it('opens when every user has had an answer, however few requests are asked for', () => {
    const { point, records } = simulated({
      fleet,
      lanes: [closed(20)],
      load: { kind: 'concurrency', value: 20 },
      requests: 10,
    })
    const answered = records.filter(({ endS }) => endS < point.window.startS).map(({ id }) => id)
    expect(answered.length).toBeGreaterThanOrEqual(20)
    expect(point.requests.sent).toBeGreaterThanOrEqual(40)
  })

  it('is called overloaded where requests come faster than they are served, and only there', () => {
    const reasonsAt = (rate: number) =>
      simulated({ fleet, lanes: [open(rate)], load: { kind: 'rate', value: rate }, requests: 600 }).point.window.reasons
    // 16 at once take 9 ms and more a step, of a mean of 33 tokens: 50 requests a second and less.
    expect(reasonsAt(100)).toContain('overloaded')
    expect(reasonsAt(20)).not.toContain('overloaded')
  })

  it('has the length that was asked for, and no more requests than came in it', () => {
    const { point } = simulated({ fleet, lanes: [open(10)], load: { kind: 'rate', value: 10 }, durationS: 30 })
    expect(point.window.endS - point.window.startS).toBeCloseTo(30, 6)
    expect(point.requests.sent).toBeGreaterThan(200)
    expect(point.requests.sent).toBeLessThan(400)
  })
})

describe('what only a simulator sees', () => {
  it('adds up: the pool makes the tokens that users get, and is busy while anything is in flight', () => {
    const { point } = simulated({ fleet, lanes: [closed(16)], load: { kind: 'concurrency', value: 16 } })
    const [only] = point.simulation?.pools ?? []
    expect(only?.tokensPerSecond).toBeCloseTo(point.outputTokensPerSecond, 9)
    expect(only?.tokensPerSecondPerGpu).toBeCloseTo(point.outputTokensPerSecond / 2, 9)
    expect(only?.busy).toBeCloseTo(1, 3)
    // The KV cache holds 3 000 tokens of some 190 each: it runs out, and the batch stays below what is in flight.
    expect(only?.preemptions).toBeGreaterThan(0)
    expect(only?.wastedShare).toBeGreaterThan(0)
    expect(only?.meanBatch).toBeLessThan(16)
    expect(only?.meanBatch).toBeGreaterThan(8)
    expect(only?.mostKvShare).toBeGreaterThan(0.9)
    const series = point.simulation?.series ?? []
    expect(series.length).toBeGreaterThan(50)
    expect(series.length).toBeLessThanOrEqual(200)
    for (const { atS, running, waiting } of series) {
      expect(running + waiting).toBeLessThanOrEqual(16)
      expect(atS).toBeGreaterThanOrEqual(point.window.startS)
      expect(atS).toBeLessThan(point.window.endS)
    }
    expect(only?.meanWaiting).toBeLessThan(16)
  })

  it('is busy for the share of time that its steps take, where requests come seldom', () => {
    const roomy = { ...fleet, pools: [{ ...pool, policy: { ...pool.policy, kvTokens: Number.POSITIVE_INFINITY } }] }
    const { point, records } = simulated({ fleet: roomy, lanes: [open(0.5)], load: { kind: 'rate', value: 0.5 } })
    const [only] = point.simulation?.pools ?? []
    const { startS, endS } = point.window
    // Nearly alone, each: busy as long as they are there.
    const stay = records.reduce((sum, r) => sum + Math.max(0, Math.min(r.endS, endS) - Math.max(r.sentS, startS)), 0)
    expect(only?.busy).toBeGreaterThan((0.9 * stay) / (endS - startS))
    expect(only?.busy).toBeLessThanOrEqual(stay / (endS - startS))
    expect(only?.meanKvShare).toBeUndefined()
    expect(only?.preemptions).toBe(0)
    expect(only?.wastedShare).toBe(0)
  })

  it('is told lane by lane, and each lane is held to its own objectives', () => {
    const slow = { ...closed(4), name: 'batch', priority: 1, objectives: { ttftMs: 1 } }
    const fast = { ...closed(4, 'd'), objectives: { ttftMs: 10_000 } }
    const { point, records } = simulated({ fleet, lanes: [fast, slow], load: { kind: 'concurrency', value: 8 } })
    const [chat, batch] = point.simulation?.lanes ?? []
    expect([chat?.name, batch?.name]).toEqual(['chat', 'batch'])
    expect([chat?.goodput?.attainment, batch?.goodput?.attainment]).toEqual([1, 0])
    expect((chat?.tokens.output ?? 0) + (batch?.tokens.output ?? 0)).toBe(point.tokens.output)
    expect((chat?.requests.sent ?? 0) + (batch?.requests.sent ?? 0)).toBe(point.requests.sent)
    expect((chat?.littlesLaw.inFlight ?? 0) + (batch?.littlesLaw.inFlight ?? 0)).toBeCloseTo(
      point.littlesLaw.inFlight,
      9,
    )
    expectSame({ point, records })
  })

  it('counts requests that no engine can hold, and says of the first why', () => {
    const long = createSource({
      arrivals: { kind: 'rate', rate: 5, process: { kind: 'constant' } },
      work: { input: { kind: 'uniform', least: 20, most: 5980 }, output: { kind: 'fixed', tokens: 20 } },
      seed: 'c',
    })
    const { point, records } = simulated({
      fleet,
      lanes: [{ name: 'long', priority: 0, source: long }],
      load: { kind: 'rate', value: 5 },
    })
    const refused = records.filter(({ outcome }) => outcome === 'failed')
    expect(refused.length).toBeGreaterThan(50)
    const inside = refused.filter(({ sentS }) => sentS >= point.window.startS)
    expect(point.simulation?.refused?.requests).toBe(inside.length)
    expect(point.simulation?.refused?.first).toMatch(/prompt of \d+ tokens/)
    expect(point.requests.errors.http).toBe(point.requests.failed)
    expect(point.requests.failed).toBeGreaterThan(0)
    expectSame({ point, records })
  })
})
