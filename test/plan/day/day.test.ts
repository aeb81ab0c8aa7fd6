import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Day, TwospeedError } from '../../../src/core/index.ts'
import { type DayServer, type DaySource, dayOf, demandOfDay, raisedDay } from '../../../src/plan/day/index.ts'
import { evidenceOfRows } from '../../../src/plan/index.ts'
import { peakOf, peakWords, poissonPeak } from '../../../src/plan/peak.ts'
import { replicaOf } from '../../../src/plan/replica.ts'
import { curveOf, curves, flat, traceOf, traces } from './days.ts'

const lesson = evidenceOfRows(
  [
    { concurrency: 20, outputTokensPerSecond: 2000 },
    { concurrency: 80, outputTokensPerSecond: 3200 },
  ],
  { gpus: 2 },
)

function at(load: number, outputTokens: number): DayServer {
  const chosen = replicaOf(lesson, outputTokens).at(load)
  if (chosen === undefined) throw new Error(`no load of ${load}`)
  return { chosen }
}

/** 20 in flight at 100 tok/s each: a stay of 3 s. */
const server: DayServer = { ...at(20, 300), gpus: 2, gpuHour: 3 }
const dayAt = (source: DaySource, startupS?: number): Day =>
  dayOf(source, server, { outputTokens: 300, ...(startupS !== undefined && { startupS }) })

describe('a fleet for a day', () => {
  it('of the same rate at every hour is that of the rate, and nothing is saved', () => {
    const day = dayAt(flat(10))
    expect(day.inFlight).toBeCloseTo(30, 9)
    expect(day.peakInFlight).toBe(poissonPeak(30))
    expect(day.fixed).toMatchObject({ replicas: 3, replicaHours: 72, gpuHours: 144, cost: 432 })
    expect(day.following.replicaHours).toBeCloseTo(72, 9)
    expect(day.savedShare).toBeCloseTo(0, 9)
    expect(day.sentence).toContain('One that follows the day needs as many at every hour.')
  })

  it('of two levels has each at its hours, the higher from its start-up before', () => {
    // 3 in flight by night, 90 by day, from 8 to 20.
    const source = curveOf([0, 1], [8, 1], [8.01, 30], [20, 30], [20.01, 1], [24, 1])
    const [night, day] = [Math.ceil(poissonPeak(3) / 20), Math.ceil(poissonPeak(90) / 20)]
    const { instants, following, fixed } = dayAt(source, 3600)
    const replicasAt = (hour: number): number | undefined => instants[Math.round(hour * 12)]?.replicas
    expect([3, 6.9, 7.1, 7.9, 12, 19.9, 20.2, 23].map(replicasAt)).toEqual([
      night,
      night,
      day,
      day,
      day,
      day,
      night,
      night,
    ])
    expect(instants[Math.round(7.5 * 12)]?.neededReplicas).toBe(night)
    expect(fixed.replicas).toBe(day)
    // Some five minutes at both ends.
    expect(Math.abs(following.replicaHours - 11 * night - 13 * day)).toBeLessThan(0.3 * day)
    expect(following.cost).toBeCloseTo(following.replicaHours * 2 * 3, 9)
  })

  it('holds each instant, costs no more than the one that stays, and more start-up costs no less', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          curves.map((points): DaySource => ({ kind: 'curve', points })),
          traces.map((trace): DaySource => ({ kind: 'trace', trace })),
        ),
        fc.double({ min: 0, max: 500, noNaN: true }),
        (source, startupS) => {
          const [prompt, late, never] = [dayAt(source, 0), dayAt(source, startupS), dayAt(source, 1e6)]
          for (const { neededReplicas, replicas } of late.instants) {
            expect(replicas).toBeGreaterThanOrEqual(neededReplicas)
            expect(replicas).toBeLessThanOrEqual(late.fixed.replicas)
          }
          expect(late.fixed).toEqual(prompt.fixed)
          expect(late.following.replicaHours).toBeGreaterThanOrEqual(prompt.following.replicaHours)
          expect(late.following.replicaHours).toBeLessThanOrEqual(late.fixed.replicaHours * (1 + 1e-9))
          if (source.kind === 'curve') expect(never.savedShare).toBeCloseTo(0, 9)
        },
      ),
      { seed: 4, numRuns: 25 },
    )
  })

  it('is never smaller for more that comes', () => {
    fc.assert(
      fc.property(curves, fc.double({ min: 1, max: 4, noNaN: true }), (points, times) => {
        const more = points.map(({ atS, rate }) => ({ atS, rate: rate * times }))
        const [few, many] = [dayAt({ kind: 'curve', points }), dayAt({ kind: 'curve', points: more })]
        expect(many.fixed.replicas).toBeGreaterThanOrEqual(few.fixed.replicas)
        expect(many.following.replicaHours).toBeGreaterThanOrEqual(few.following.replicaHours)
      }),
      { seed: 5, numRuns: 20 },
    )
  })

  it('of a trace is for its own answers, not for their mean', () => {
    // Thirty long answers at once, 30 s each, and then a hundred short ones, one after another.
    const rows = Array.from({ length: 30 }, () => [0, 3000] as const)
    const trace = traceOf([...rows, ...Array.from({ length: 100 }, (_, i) => [i + 1, 1] as const)])
    const day = dayOf({ kind: 'trace', trace }, at(20, demandOfDay({ kind: 'trace', trace }).outputTokens ?? 0), {
      outputTokens: 1,
    })
    expect(day).toMatchObject({ by: 'trace', requests: 130, lengthS: 100, mostInFlight: 31, peakInFlight: 30 })
    expect(day.fixed.replicas).toBe(2)
    expect(day.fixed).not.toHaveProperty('gpuHours')
  })

  it('on more replicas has as large a part of them at every instant as it brings of those in flight, at the same prices', () => {
    const day = dayAt(curveOf([0, 2], [8, 20], [24, 2]), 0)
    const { fixed, following, instants, sentence } = raisedDay(day, 2 * day.fixed.replicas)
    expect(fixed).toEqual({
      replicas: 2 * day.fixed.replicas,
      replicaHours: 2 * day.fixed.replicaHours,
      gpuHours: 2 * (day.fixed.gpuHours ?? 0),
      cost: 2 * (day.fixed.cost ?? 0),
    })
    for (const [i, { replicas }] of instants.entries()) {
      const before = day.instants[i]?.replicas ?? 0
      expect(replicas).toBeGreaterThanOrEqual(before)
      expect(replicas).toBeLessThanOrEqual(2 * before + 1)
    }
    expect(Math.max(...instants.map(({ replicas }) => replicas))).toBe(2 * day.fixed.replicas)
    expect(following.cost).toBeGreaterThan(1.7 * (day.following.cost ?? 0))
    // Where nothing comes, one is enough, however many the peak has.
    const bursts = raisedDay(dayAt(curveOf([0, 2], [1, 0], [23, 0], [24, 2]), 0), 40)
    expect(Math.max(...bursts.instants.map(({ replicas }) => replicas))).toBe(40)
    expect(bursts.instants[144]?.replicas).toBe(1)
    expect(sentence).toContain(`A fleet for that is ${2 * day.fixed.replicas} replicas`)
    for (const replicas of [1, day.fixed.replicas]) expect(raisedDay(day, replicas)).toEqual(day)
    // Of split pools: one that answers, with three GPUs of those that read.
    expect(raisedDay(day, 1, { gpus: 5 }).fixed).toEqual({
      replicas: day.fixed.replicas,
      replicaHours: day.fixed.replicaHours,
      gpuHours: 5 * day.fixed.replicaHours,
    })
    // A little more is at least as many everywhere, and so many at the peak.
    const little = raisedDay(day, day.fixed.replicas + 1)
    expect(Math.max(...little.instants.map(({ replicas }) => replicas))).toBe(day.fixed.replicas + 1)
    expect(little.savedShare).toBeGreaterThan(0)
  })

  it('tells no cost without a price, and no GPUs without their number', () => {
    const { fixed } = dayOf(flat(10), { ...at(20, 300), gpus: 2 }, { outputTokens: 300 })
    expect(fixed).toMatchObject({ gpuHours: 144 })
    expect(fixed).not.toHaveProperty('cost')
  })
})

describe('what a day asks in the mean', () => {
  it('is its requests over its length, and of a trace its lengths', () => {
    expect(demandOfDay(curveOf([0, 2], [8, 20], [24, 2]))).toEqual({ arrivalsPerSecond: 11 })
    const trace = traceOf([
      [0, 10],
      [4, 20],
      [8, 60],
    ])
    expect(demandOfDay({ kind: 'trace', trace })).toEqual({
      arrivalsPerSecond: 0.25,
      inputTokens: 100,
      outputTokens: 30,
    })
  })

  const trace = (...rows: readonly { readonly atS: number; readonly outputTokens?: number }[]): DaySource => ({
    kind: 'trace',
    trace: { rows, notes: [] },
  })
  it.each([
    ['a curve that does not rise', curveOf([0, 1], [0, 2]), 'INVALID_VALUE', /comes after/],
    ['one that begins late', curveOf([1, 1], [2, 2]), 'INVALID_VALUE', /begins at 0 s/],
    ['one of a single point', curveOf([0, 1]), 'INVALID_VALUE', /begins at 0 s/],
    ['a rate below 0', curveOf([0, 1], [2, -2]), 'INVALID_VALUE', /0 or more/],
    ['a rate that is none', curveOf([0, 1], [2, Number.NaN]), 'INVALID_VALUE', /0 or more/],
    ['nobody', curveOf([0, 0], [2, 0]), 'INVALID_VALUE', /nobody ever comes/],
    ['a trace of one row', trace({ atS: 0, outputTokens: 1 }), 'INVALID_WORK', /one instant/],
    ['a trace of unknown answers', trace({ atS: 0, outputTokens: 1 }, { atS: 1 }), 'INVALID_WORK', /how long/],
    ['both at once', trace({ atS: 0 }), 'INVALID_WORK', /one instant.*how long/],
  ] as const)('is not told of %s', (_, source, code, message) => {
    expect(() => demandOfDay(source)).toThrow(TwospeedError)
    expect(() => demandOfDay(source)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
    expect(() => dayAt(source)).toThrow(TwospeedError)
  })
})

it('a trace that ends before a request does is told to be short, and planned by its rate', () => {
  const days = [12, 300].map((count) =>
    dayAt({ kind: 'trace', trace: traceOf(Array.from({ length: count }, (_, i) => [i / 5, 300] as const)) }),
  )
  const [short, long] = days
  if (short === undefined || long === undefined) throw new Error('two traces are two days')
  // 5 requests/s that stay 3 s, of a trace of 2.2 s.
  expect(short.inFlight).toBeGreaterThan(short.mostInFlight)
  expect(short.peakInFlight).toBe(poissonPeak(short.inFlight))
  expect(short.following.replicas).toBe(short.fixed.replicas)
  expect(short.sentence).toContain('too short')
  expect(short.sentence).not.toContain('at the most')
  expect(peakOf({}, short.inFlight, 3, short).by).toBe('poisson')
  expect(long.inFlight).toBeLessThanOrEqual(long.mostInFlight)
  expect(long.sentence).not.toContain('too short')
  expect(peakWords(peakOf({}, long.inFlight, 3, long), long.inFlight, long)).not.toContain('top')
  const curve = dayAt(flat(10))
  expect(peakWords(peakOf({}, 30, 3, curve), 30, curve)).toContain('99 % of the time at its top')
})
