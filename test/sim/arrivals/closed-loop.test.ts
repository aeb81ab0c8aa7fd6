import { describe, expect, it } from 'vitest'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import type { SourcePlan } from '../../../src/sim/arrivals/source-plan.ts'
import { isWholeMicros, played } from './sources.ts'

const fixed = (tokens: number) => ({ kind: 'fixed', tokens }) as const
const work = { input: fixed(64), output: fixed(16) }

function users(count: number, more: Partial<Extract<SourcePlan, { work: unknown }>> = {}, spreadS = 0) {
  return createSource({ arrivals: { kind: 'users', users: count, spreadS }, work, seed: '1/0', ...more })
}

describe('users of a closed loop', () => {
  it('each have one request open, and ask again just after the answer', () => {
    const taken = played(users(3), 30, ({ user = 0 }) => 0.5 + user / 10)
    for (const user of [0, 1, 2]) {
      const own = taken.filter((arrival) => arrival.user === user)
      expect(own.length).toBeGreaterThan(5)
      own.slice(1).forEach(({ atS }, i) => {
        const pauseS = atS - (own[i]?.atS ?? 0) - 0.5 - user / 10
        expect(pauseS).toBeGreaterThan(-1e-12)
        expect(pauseS).toBeLessThan(1.001e-6)
        expect(isWholeMicros(atS)).toBe(true)
      })
    }
    expect(taken[0]).toEqual({ atS: 0, promptTokens: 64, outputTokens: 16, user: 0 })
  })

  it('wait for their answers: without one nobody asks again', () => {
    const source = users(2)
    const first = source.take()
    source.take()
    expect(source.nextS).toBe(Number.POSITIVE_INFINITY)
    expect(() => source.take()).toThrow(RangeError)
    source.ended(first, 7)
    expect(source.nextS).toBe(7.000001)
  })

  it('begin spread evenly over the time that is given', () => {
    const source = users(4, {}, 2)
    expect([source.take(), source.take(), source.take(), source.take()].map(({ atS }) => atS)).toEqual([0, 0.5, 1, 1.5])
  })

  it('think as long as was asked, always the same or with that mean', () => {
    const pauses = (distribution: 'constant' | 'exponential') => {
      const taken = played(users(1, { think: { meanS: 2, distribution } }), 4001)
      return taken.slice(1).map(({ atS }, i) => atS - (taken[i]?.atS ?? 0) - 1)
    }
    expect(pauses('constant').every((pause) => Math.abs(pause - 2) < 1e-6)).toBe(true)
    const drawn = pauses('exponential')
    const mean = drawn.reduce((sum, pause) => sum + pause, 0) / drawn.length
    expect(Math.abs(mean - 2)).toBeLessThan((4 * 2) / Math.sqrt(drawn.length))
    const longer = drawn.filter((pause) => pause > 2).length / drawn.length
    expect(Math.abs(longer - Math.exp(-1))).toBeLessThan(4 * Math.sqrt(0.25 / drawn.length))
  })

  it('ask the same of the same seed, however long the answers take, and other things of another', () => {
    const lengths = { input: { kind: 'uniform', least: 1, most: 999 }, output: fixed(4) } as const
    const of = (seed: string, answerS: number) =>
      played(users(3, { work: lengths, seed }), 60, () => answerS).map(({ promptTokens }) => promptTokens)
    expect(of('1/0', 0.5)).toEqual(of('1/0', 2))
    expect(of('1/0', 0.5)).not.toEqual(of('2/0', 0.5))
  })
})
