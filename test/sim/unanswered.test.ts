import { describe, expect, it } from 'vitest'
import { createPointMetrics, type Point, type RequestRecord } from '../../src/core/index.ts'
import { createSource } from '../../src/sim/arrivals/create-source.ts'
import type { Fleet } from '../../src/sim/fleet/fleet.ts'
import { type SimulateOptions, simulate } from '../../src/sim/simulate.ts'
import { fleetOf } from './one-pool.ts'

const law = { baseS: 0.01, perSequenceS: 0.0001 }
const work = { input: { kind: 'fixed', tokens: 10 }, output: { kind: 'fixed', tokens: 20 } } as const
const objectives = { ttftMs: 60_000, tokensPerSecond: 1 }

function run(options: Omit<SimulateOptions, 'onRecord'>): { point: Point; records: readonly RequestRecord[] } {
  const records: RequestRecord[] = []
  return { point: simulate({ ...options, onRecord: (record) => void records.push(record) }), records }
}

const loop = (name: string, priority: number) => ({
  name,
  priority,
  objectives,
  users: 16,
  source: createSource({ arrivals: { kind: 'users', users: 16 }, work, seed: name }),
})

/** 32 users and 8 seats: where the first lane has priority, the second never has one. */
const contended = (admission: 'priority' | 'fcfs') =>
  run({
    fleet: fleetOf(law, { maxNumSeqs: 8, admission }),
    lanes: [loop('hi', 0), loop('lo', 1)],
    load: { kind: 'concurrency', value: 32 },
    objectives,
    requests: 500,
  })

const openLoop = (rate: number, fleet: Fleet) =>
  run({
    fleet,
    lanes: [
      {
        name: 'one',
        priority: 0,
        source: createSource({ arrivals: { kind: 'rate', rate, process: { kind: 'constant' } }, work, seed: 1 }),
      },
    ],
    load: { kind: 'rate', value: rate },
    objectives,
    requests: 300,
  })

/** What a report makes of the records. */
function reported(point: Point, records: readonly RequestRecord[]): Point {
  const metrics = createPointMetrics(
    { load: point.load, window: point.window, ...(point.simulation && { simulation: point.simulation }) },
    {},
    objectives,
  )
  for (const record of records) metrics.add(record)
  return metrics.result()
}

describe('requests that are not answered when a simulation ends', () => {
  it('of a lane that never has its turn are in flight, failed and missed', () => {
    const { point } = contended('priority')
    const [hi, lo] = point.simulation?.lanes ?? []
    expect(point.littlesLaw.inFlight).toBeCloseTo(32, 1)
    expect(lo?.littlesLaw.inFlight).toBeCloseTo(16, 6)
    expect(lo?.requests).toMatchObject({ ok: 0, failed: 16, errors: { timeout: 16 } })
    expect(lo?.goodput?.attainment).toBe(0)
    expect(lo?.outputTokensPerSecond).toBe(0)
    expect(hi?.goodput?.attainment).toBe(1)
    expect(point.goodput?.attainment).toBeLessThan(1)
    expect(point.window.reasons).toContain('unanswered')
    // Nobody comes faster than they are served where all wait for their answer.
    expect(point.window.reasons).not.toContain('overloaded')
  })

  it('are none where all have their turn', () => {
    const { point, records } = contended('fcfs')
    expect(point.littlesLaw.inFlight).toBeCloseTo(32, 1)
    expect(point.window.reasons).toEqual([])
    expect(point.requests.failed).toBe(0)
    expect(records.every(({ outcome }) => outcome === 'ok')).toBe(true)
    expect(point.goodput?.attainment).toBe(1)
  })

  it('of a rate far beyond what is served are all that came', () => {
    const { point, records } = openLoop(1e6, fleetOf(law))
    expect(point.window.reasons).toEqual(expect.arrayContaining(['overloaded', 'unanswered', 'windowTooShort']))
    expect(point.requests).toMatchObject({ ok: 0, errors: { timeout: point.requests.failed } })
    expect(point.requests.failed).toBeGreaterThanOrEqual(records.length - 1)
    expect(point.littlesLaw.inFlight).toBeGreaterThan(300)
    expect(point.goodput?.attainment).toBe(0)
    // It is clear when as many as were asked for have come.
    expect(records.length).toBeLessThan(2 * 300)
    expect(openLoop(10, fleetOf(law)).point.window.reasons).toEqual([])
  })

  it('bear the tokens that they have, and say how long they waited', () => {
    const { point, records } = openLoop(2000, fleetOf(law, { maxNumSeqs: 4 }))
    const left = records.filter(({ outcome }) => outcome === 'failed')
    const begun = left.filter(({ outputTokens }) => outputTokens > 0)
    expect(left.length).toBeGreaterThan(begun.length)
    for (const { outputTokens, gapsUs, firstTokenS, lastTokenS, sentS, endS, error } of left) {
      expect(gapsUs).toHaveLength(Math.max(0, outputTokens - 1))
      expect(firstTokenS === undefined).toBe(outputTokens === 0)
      expect(lastTokenS ?? sentS).toBeLessThanOrEqual(endS)
      expect(endS).toBeGreaterThanOrEqual(point.window.endS)
      expect(error).toMatchObject({ kind: 'timeout' })
      expect(error?.message).toMatch(/^not answered when the simulation ended, [\d.]+ s after it came$/)
    }
  })

  it.each(['priority', 'fcfs'] as const)('are told by a report as by the simulator (%s)', (admission) => {
    const { point, records } = contended(admission)
    const { requests, goodput, littlesLaw, outputTokensPerSecond } = reported(point, records)
    expect({ requests, goodput, littlesLaw, outputTokensPerSecond }).toEqual({
      requests: point.requests,
      goodput: point.goodput,
      littlesLaw: point.littlesLaw,
      outputTokensPerSecond: point.outputTokensPerSecond,
    })
  })

  it('may wait before an engine has them: in the work of the server, and for the link', () => {
    const [pool] = fleetOf(law).pools
    if (pool === undefined) throw new Error('no pool')
    const split: Fleet = {
      routing: 'leastInFlight',
      pools: [
        { ...pool, name: 'read', role: 'prefill' },
        { ...pool, name: 'write', role: 'decode' },
      ],
      link: { bytesPerSecond: 1000, concurrency: 1, bytesPerToken: 100 },
    }
    const { point } = openLoop(5000, split)
    expect(point.requests.failed).toBe(point.requests.sent)
    expect(point.littlesLaw.inFlight).toBeGreaterThan(300)
    const slow = openLoop(5000, { ...fleetOf(law), entrySeconds: () => 1e6 })
    expect(slow.point.requests.failed).toBe(slow.point.requests.sent)
    expect(slow.point.littlesLaw.inFlight).toBeGreaterThan(300)
  })
})

describe('requests that no engine can hold', () => {
  const lanes = (tokens: 'all' | 'some') => [
    {
      name: 'long',
      priority: 0,
      source: createSource({
        arrivals: { kind: 'rate', rate: 5, process: { kind: 'constant' } },
        work: { ...work, input: { kind: 'uniform', least: tokens === 'all' ? 2000 : 100, most: 3000 } },
        seed: 2,
      }),
    },
    loop('short', 0),
  ]
  const small = fleetOf(law, { kvTokens: 1600 })
  const asked = (tokens: 'all' | 'some'): SimulateOptions => ({
    fleet: small,
    lanes: lanes(tokens),
    load: { kind: 'concurrency', value: 16 },
    requests: 2000,
  })

  it('have never been in flight: they are not done, and the refused are those that failed', () => {
    const { point } = run(asked('some'))
    const { startS, endS } = point.window
    const long = point.simulation?.lanes?.[0]
    expect(long?.requests.failed).toBeGreaterThan(50)
    expect(point.simulation?.refused?.requests).toBe(point.requests.failed)
    const okPerSecond = (long?.requests.ok ?? 0) / (endS - startS)
    expect((long?.littlesLaw.completionsPerSecond ?? 0) / okPerSecond).toBeCloseTo(1, 1)
  })

  it('end it where they are all that a lane has, whatever the others do', () => {
    expect(() => run(asked('all'))).toThrow(expect.objectContaining({ code: 'NEVER_FITS' }))
    expect(() => run(asked('all'))).toThrow(/Lane long/)
  })
})

describe('requests beyond those that were asked for', () => {
  const users = (requests?: number) =>
    simulate({
      fleet: fleetOf(law),
      lanes: [loop('one', 0)],
      load: { kind: 'concurrency', value: 16 },
      ...(requests !== undefined && { requests }),
    }).simulation?.prolonged

  it('are told, and none where none were sent or nothing was asked', () => {
    expect(users(1)).toEqual({ asked: 1, sent: expect.any(Number) })
    expect(users(1)?.sent).toBeGreaterThan(16)
    expect(users(1000)).toBeUndefined()
    expect(users()).toBeUndefined()
  })
})
