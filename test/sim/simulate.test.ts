import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../src/core/index.ts'
import { createSource } from '../../src/sim/arrivals/create-source.ts'
import { enginePolicy } from '../../src/sim/engine/policy.ts'
import type { Fleet, Pool } from '../../src/sim/fleet/fleet.ts'
import { simulate } from '../../src/sim/simulate.ts'
import { lawStepTime } from '../../src/sim/step/law-step-time.ts'

const pool: Pool = {
  name: 'main',
  role: 'both',
  replicas: 1,
  dataParallel: 1,
  gpusPerReplica: 4,
  policy: enginePolicy({
    maxNumSeqs: 256,
  }),
  stepTime: lawStepTime({ baseS: 0.005, perSequenceS: 0.00025 }),
}
const fleetOf = (...pools: Pool[]): Fleet => ({ pools, routing: 'leastInFlight' })
const split: Fleet = {
  ...fleetOf(
    { ...pool, name: 'read', role: 'prefill', gpusPerReplica: 2 },
    { ...pool, name: 'write', role: 'decode', replicas: 2, gpusPerReplica: 1 },
  ),
  link: { bytesPerSecond: 50e9, concurrency: 2, bytesPerToken: 100_000 },
}

const work = { input: { kind: 'fixed', tokens: 400 }, output: { kind: 'fixed', tokens: 800 } } as const
const users = (count: number, prefix?: { readonly share: number; readonly count: number }) => ({
  load: { kind: 'concurrency', value: count } as const,
  lanes: [
    {
      name: 'chat',
      priority: 0,
      users: count,
      source: createSource({
        arrivals: { kind: 'users', users: count },
        work: { ...work, ...(prefix !== undefined && { prefix }) },
        seed: '1/0',
      }),
    },
  ],
})
const rate = (perSecond: number) => ({
  load: { kind: 'rate', value: perSecond } as const,
  lanes: [
    {
      name: 'chat',
      priority: 0,
      source: createSource({
        arrivals: { kind: 'rate', rate: perSecond, process: { kind: 'poisson' } },
        work,
        seed: '1/0',
      }),
    },
  ],
})

describe('a simulated point', () => {
  it('is that of the lesson: 20 users have 100 tok/s each and 2 000 together, 80 have 40 and 3 200', () => {
    for (const [count, pace, output] of [
      [20, 100, 2000],
      [80, 40, 3200],
    ] as const) {
      const point = simulate({ fleet: fleetOf(pool), ...users(count) })
      expect(point.perUser.tokensPerSecond.p50 ?? 0).toBeCloseTo(pace, 0)
      // A request waits for one step and is read in another, which make no token of its own: 2 of 801.
      expect(point.outputTokensPerSecond / output).toBeGreaterThan(0.997)
      expect(point.outputTokensPerSecond / output).toBeLessThanOrEqual(1)
      expect(point.perGpu?.outputTokensPerSecond).toBe(point.outputTokensPerSecond / 4)
      expect(point.window).toMatchObject({ steady: true, reasons: [] })
    }
  })

  it('has so many requests as were asked for, 2 000 where nothing was said', () => {
    let told = 0
    const onRecord = (): void => void told++
    simulate({ fleet: fleetOf(pool), ...users(10), onRecord })
    expect(told).toBe(2000)
    told = 0
    simulate({ fleet: fleetOf(pool), ...users(10), requests: 300, onRecord })
    expect(told).toBe(300)
  })

  it('has the figures of each pool over its own GPUs where the fleet is split, and none where GPUs are unknown', () => {
    const point = simulate({ fleet: split, ...users(30), requests: 400 })
    const { outputTokensPerSecond, tokens, window } = point
    const [read, write] = point.simulation?.pools ?? []
    expect(point.perGpu?.outputTokensPerSecond).toBeCloseTo(outputTokensPerSecond / 4, 9)
    expect(point.perGpu?.decodePoolOutputTokensPerSecond).toBeCloseTo(outputTokensPerSecond / 2, 9)
    expect(write?.tokensPerSecondPerGpu).toBeCloseTo(outputTokensPerSecond / 2, 9)
    expect(read?.tokensPerSecond).toBeCloseTo(tokens.input / (window.endS - window.startS), -1)
    expect([read?.gpus, write?.gpus]).toEqual([2, 2])
    expect(point.simulation?.series.every(({ inTransfer }) => inTransfer !== undefined)).toBe(true)
    const unknown = simulate({
      fleet: { ...split, pools: split.pools.map(({ gpusPerReplica: _, ...rest }) => rest) },
      ...users(30),
      requests: 400,
    })
    expect(unknown.perGpu).toBeUndefined()
    expect(unknown.outputTokensPerSecond).toBe(outputTokensPerSecond)
  })

  it('says what a prefix cache gave, and nothing where there is none', () => {
    const withCache = { ...pool, policy: { ...pool.policy, prefixCache: true } }
    const prefix = { share: 0.5, count: 1 }
    const cached = simulate({ fleet: fleetOf(withCache), ...users(10, prefix), requests: 200 })
    // 12 blocks of the 200 tokens that all begin with, of each request that ends inside.
    expect((cached.simulation?.cachedTokens ?? 0) / 192).toBeGreaterThan(150)
    expect((cached.simulation?.cachedTokens ?? 0) / 192).toBeLessThanOrEqual(200)
    expect(simulate({ fleet: fleetOf(pool), ...users(10, prefix), requests: 200 }).simulation?.cachedTokens).toBe(0)
  })

  it('comes to an end where far more is asked than is served, and says so', () => {
    const small = { ...pool, policy: { ...pool.policy, maxNumSeqs: 2 } }
    const point = simulate({ fleet: fleetOf(small), ...rate(1000), requests: 100 })
    expect(point.window.reasons).toContain('overloaded')
    expect(simulate({ fleet: fleetOf(pool), ...rate(1), requests: 100 }).window.reasons).not.toContain('overloaded')
  })

  it('is none where no request can ever be held, and one of those that can where only some can', () => {
    const tight = { ...pool, policy: { ...pool.policy, kvTokens: 1000 } }
    const run = (): unknown => simulate({ fleet: fleetOf(tight), ...users(3), requests: 20 })
    expect(run).toThrow(/400 tokens/)
    expect(run).toThrow(expect.objectContaining({ code: 'NEVER_FITS' }))
    const uneven = { input: work.input, output: { kind: 'uniform', least: 550, most: 650 } } as const
    const source = createSource({ arrivals: { kind: 'users', users: 3 }, work: uneven, seed: '1/0' })
    const lanes = [{ name: 'chat', priority: 0, users: 3, source }]
    const load = { kind: 'concurrency', value: 3 } as const
    const point = simulate({ fleet: fleetOf(tight), lanes, load, requests: 40 })
    expect(point.requests.ok).toBeGreaterThan(5)
    expect(point.requests.failed).toBeGreaterThan(5)
  })

  it('is none where the load ends before it has come up', () => {
    const nothing = { nextS: Number.POSITIVE_INFINITY, take: () => expect.fail(), ended: () => undefined }
    const lanes = [{ name: 'none', priority: 0, source: nothing }]
    const run = (): unknown => simulate({ fleet: fleetOf(pool), lanes, load: { kind: 'rate', value: 1 } })
    expect(run).toThrow(TwospeedError)
    expect(run).toThrow(/ended before it had come up/)
  })

  it('is the same to the last byte of the same seed, and another of another', () => {
    const once = (seed: string): string => {
      const source = createSource({
        arrivals: { kind: 'rate', rate: 3, process: { kind: 'poisson' } },
        work: { ...work, output: { kind: 'uniform', least: 1, most: 100 } },
        seed,
      })
      const lanes = [{ name: 'chat', priority: 0, source }]
      return JSON.stringify(simulate({ fleet: fleetOf(pool), lanes, load: { kind: 'rate', value: 3 }, requests: 300 }))
    }
    expect(once('1/0')).toBe(once('1/0'))
    expect(once('2/0')).not.toBe(once('1/0'))
    expect(once('1/0')).not.toMatch(/null|NaN/)
  })
})
