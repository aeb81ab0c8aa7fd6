import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PointsRow, Product, Trough } from '../../../src/core/index.ts'
import { type DaySource, dayOf, demandOfDay, type PlannedWith, troughOf } from '../../../src/plan/day/index.ts'
import { type Demand, type Evidence, evidenceOfRows, plan } from '../../../src/plan/index.ts'
import { replicaOf } from '../../../src/plan/replica.ts'
import { createSource, enginePolicy, lawStepTime, simulate } from '../../../src/sim/index.ts'
import { curveOf, curves, flat } from './days.ts'

const LESSON: readonly PointsRow[] = [20, 40, 60, 80].map((concurrency) => ({
  concurrency,
  outputTokensPerSecond: concurrency / (0.005 + 0.00025 * concurrency),
}))
const lesson = evidenceOfRows(LESSON, { gpus: 2 })
const chat = (floor: number): Product => ({ name: 'chat', goal: 'pace', tokensPerSecond: floor })
const night: Product = { name: 'night', goal: 'throughput' }

/** Answers of 300 tokens, for `replicas` at least. */
function interactive(source: DaySource, floor = 100, replicas = 1): PlannedWith {
  const { arrivalsPerSecond } = demandOfDay(source)
  const planned = plan(lesson, chat(floor), { arrivalsPerSecond, outputTokens: 300 })
  const chosen = replicaOf(lesson, 300).at(planned.choice.concurrency)
  if (chosen === undefined) throw new Error('nothing is known of the chosen load')
  const day = dayOf(source, { chosen, gpus: 2 }, { outputTokens: 300 })
  const replicasAtPeak = Math.max(replicas, day.fixed.replicas)
  return { plan: { ...planned, day, replicasAtPeak }, evidence: lesson }
}

const batch = (demand: Demand, evidence: Evidence = lesson): PlannedWith => ({
  plan: plan(evidence, night, { outputTokens: 500, requests: 10_000, ...demand }),
  evidence,
})

function trough(of: PlannedWith, other: PlannedWith): Trough {
  const found = troughOf(of, other)
  if (found === undefined) throw new Error('there is no day')
  return found
}

describe('whole replicas', () => {
  it('make the lesson’s 3,200 tok/s in a replica that nobody else wants', () => {
    // 30 in flight and chance take three of four.
    const { whole, better, completionS, own } = trough(interactive(flat(10), 100, 4), batch({}))
    expect(whole).toMatchObject({ replicas: 1, concurrency: 80, tokensPerSecondPerUser: 40 })
    expect(whole.tokensPerDay).toBeCloseTo(3200 * 86_400, 3)
    expect(whole.everyS).toBeCloseTo(500 / 3200, 9)
    // 80 places of 20 each, less 30, are 50: 100 tok/s each are more than 3,200 in all.
    expect(better).toBe('filled')
    expect(completionS).toBeCloseTo(5e6 / 5000, 6)
    expect(own).toEqual({ replicas: 2, gpus: 4 })
  })

  it('lose one stay of a request where they are wanted again', () => {
    // The batch’s stay is 500/40 = 12.5 s.
    const source = curveOf([0, 1], [12, 1], [12.01, 30], [23.99, 30], [24, 1])
    const planned = interactive(source)
    const { instants, fixed } = planned.plan.day ?? { instants: [], fixed: { replicas: 0 } }
    const free = instants.reduce((sum, { neededReplicas }) => sum + fixed.replicas - neededReplicas, 0) * 300
    const most = Math.max(...instants.map(({ neededReplicas }) => fixed.replicas - neededReplicas))
    const { whole } = trough(planned, batch({}))
    // As many stretches as replicas are ever free.
    expect(whole.requestsPerDay).toBeCloseTo((3200 / 500) * (free - most * 12.5), 3)
  })
})

describe('replicas filled up', () => {
  it('give the batch every place that the floor allows and users leave', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 50, noNaN: true }), fc.constantFrom(100, 60, 50, 41), (rate, floor) => {
        const planned = interactive(flat(rate), floor)
        const { filled, replicas } = trough(planned, batch({}))
        const { concurrency, tokensPerSecondPerUser: pace } = planned.plan.choice
        const places = replicas * concurrency - (rate * 300) / pace
        expect(filled.inFlight).toBeCloseTo(places, 4)
        expect(filled.tokensPerDay / (places * pace * 86_400)).toBeCloseTo(1, 6)
        expect(filled.tokensPerSecondPerUser).toBeGreaterThanOrEqual(floor)
      }),
      { seed: 7, numRuns: 12 },
    )
  })

  it('is what a simulation of both makes, and leaves users their floor', () => {
    const planned = interactive(flat(10))
    const { filled, replicas } = trough(planned, batch({}))
    const fixed = (tokens: number) => ({ kind: 'fixed', tokens }) as const
    const source = (seed: string, tokens: number, arrivals: Parameters<typeof createSource>[0]['arrivals']) =>
      createSource({ arrivals, work: { input: fixed(1), output: fixed(tokens) }, seed } as Parameters<
        typeof createSource
      >[0])
    const { simulation } = simulate({
      fleet: {
        routing: 'leastInFlight',
        pools: [
          {
            name: 'pool',
            role: 'both',
            replicas,
            dataParallel: 1,
            policy: enginePolicy({ maxNumSeqs: 20, admission: 'priority' }),
            stepTime: lawStepTime({ baseS: 0.005, perSequenceS: 0.00025 }),
          },
        ],
      },
      lanes: [
        {
          name: 'chat',
          priority: 0,
          source: source('a', 300, { kind: 'rate', rate: 10, process: { kind: 'poisson' } }),
        },
        // More than there are places, so that some always wait.
        { name: 'night', priority: 1, users: 100, source: source('b', 500, { kind: 'users', users: 100 }) },
      ],
      load: { kind: 'rate', value: 10 },
      durationS: 600,
    })
    const [users, rest] = simulation?.lanes ?? []
    expect(((rest?.outputTokensPerSecond ?? 0) * 86_400) / filled.tokensPerDay).toBeCloseTo(1, 1)
    expect(users?.perUser.tokensPerSecond?.p10).toBeGreaterThanOrEqual(100 * (1 - 1e-6))
    // Users wait for the end of one of the batch, as is told: of those that a replica has, each 5 s long.
    expect(filled.everyS).toBeCloseTo((5 * replicas) / (filled.inFlight ?? 0), 9)
    expect(filled.everyS).toBeGreaterThan(5 / 20)
    expect(users?.latency.ttftMs?.p50 ?? Infinity).toBeLessThan(500)
  })

  it('take none where the batch’s own requests leave no floor', () => {
    const slow = evidenceOfRows([{ concurrency: 20, outputTokensPerSecond: 1000 }], { gpus: 2 })
    const { filled, better, sentence } = trough(interactive(flat(10), 100, 5), batch({}, slow))
    expect(filled).toEqual({ requestsPerDay: 0, tokensPerDay: 0, inFlight: 0 })
    expect(better).toBe('whole')
    expect(sentence).toContain('the floor allows none of it')
    expect(trough(interactive(flat(10), 50, 5), batch({}, slow)).filled.tokensPerDay).toBeGreaterThan(0)
  })
})

it('says where nothing goes into the trough: no replica is free for as long as an answer takes, and none has the floor', () => {
  const slow = evidenceOfRows([{ concurrency: 20, outputTokensPerSecond: 1000 }], { gpus: 2 })
  const { whole, filled, sentence, own, ...rest } = trough(interactive(flat(10)), batch({ deadlineS: 3600 }, slow))
  expect([whole.tokensPerDay, filled.tokensPerDay]).toEqual([0, 0])
  expect(rest).toMatchObject({ holds: false, moreReplicas: own.replicas })
  expect(rest).not.toHaveProperty('completionS')
  expect(sentence).toContain('Nothing of night goes into the trough')
  expect(JSON.stringify({ whole, filled, sentence, own, ...rest })).not.toMatch(/null|undefined|NaN|Infinity/)
})

describe('which of the two', () => {
  it('is whole replicas where half of the fleet is idle for hours, and places where it is always in use', () => {
    const office = curveOf([0, 1], [8, 1], [8.5, 300], [9, 1], [24, 1])
    expect(trough(interactive(office), batch({})).better).toBe('whole')
    expect(trough(interactive(flat(20)), batch({})).better).toBe('filled')
  })

  it('takes more of the batch, a day or by its deadline', () => {
    fc.assert(
      fc.property(curves, fc.double({ min: 15, max: 3000, noNaN: true }), (points, deadlineS) => {
        const planned = interactive({ kind: 'curve', points })
        const free = trough(planned, batch({}))
        const tokens = { whole: free.whole.tokensPerDay, filled: free.filled.tokensPerDay }
        expect(tokens[free.better]).toBe(Math.max(tokens.whole, tokens.filled))
        const due = trough(planned, batch({ deadlineS }))
        expect([due.whole, due.filled]).toEqual([free.whole, free.filled])
      }),
      { seed: 8, numRuns: 20 },
    )
  })
})

describe('a batch in the trough', () => {
  const planned = interactive(curveOf([0, 2], [8, 20], [24, 2]))

  it('is done when what is taken in up to then is all of it, over as many days as that takes', () => {
    const { filled } = trough(planned, batch({}))
    const aDay = filled.requestsPerDay
    for (const days of [1, 2, 7]) {
      const { completionS } = trough(planned, batch({ requests: days * aDay }))
      expect(completionS).toBeCloseTo(days * 86_400, 3)
    }
    const half = trough(planned, batch({ requests: aDay / 2 })).completionS ?? 0
    const most = trough(planned, batch({ requests: 1.5 * aDay })).completionS ?? 0
    expect(most - half).toBeCloseTo(86_400, 3)
    // One answer at 100 tok/s.
    expect(trough(planned, batch({ requests: 1 })).completionS).toBeCloseTo(5, 9)
  })

  it('in time needs no fleet of its own; late it needs no more than that, and one fewer is late', () => {
    const deadlineS = 6 * 3600
    const few = trough(planned, batch({ requests: 100_000, deadlineS }))
    expect(few).toMatchObject({ holds: true, own: { replicas: 1, gpus: 2 } })
    expect(few).not.toHaveProperty('moreReplicas')
    const many = batch({ requests: 1_500_000, deadlineS })
    const late = trough(planned, many)
    expect(late).toMatchObject({ holds: false, own: { replicas: many.plan.replicas } })
    const more = late.moreReplicas ?? 0
    expect(more).toBeLessThanOrEqual(late.own.replicas)
    // What of it is left is as much as that many make in the time, and more than one fewer.
    const left = 1_500_000 - takenBy(late, deadlineS)
    expect(Math.ceil(left / ((3200 / 500) * deadlineS))).toBe(more)
    expect(late.sentence).toContain(`miss the deadline of 6 h`)
  })

  it('has no trough without a day', () => {
    const { day: _, ...undated } = planned.plan
    expect(troughOf({ ...planned, plan: undated }, batch({}))).toBeUndefined()
  })

  /** By another way to count: the number of requests that are just done by then, found by halves. */
  function takenBy({ better }: Trough, untilS: number): number {
    expect(better).toBe('filled')
    let [low, high] = [0, 1e7]
    for (let i = 0; i < 60; i++) {
      const requests = (low + high) / 2
      if (requests < 1) break
      if ((trough(planned, batch({ requests })).completionS ?? Infinity) < untilS) low = requests
      else high = requests
    }
    return high
  }
})
