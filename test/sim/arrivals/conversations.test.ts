import { describe, expect, it } from 'vitest'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import type { Arrival } from '../../../src/sim/arrivals/source.ts'
import { played } from './sources.ts'

const fixed = (tokens: number) => ({ kind: 'fixed', tokens }) as const
const work = { input: fixed(50), output: fixed(20), turns: 4 }
const users = (count: number) =>
  createSource({ arrivals: { kind: 'users', users: count, spreadS: 0 }, work, seed: '1/0' })
const rate = (more = {}) =>
  createSource({
    arrivals: { kind: 'rate', rate: 8, process: { kind: 'poisson' } },
    work: { ...work, ...more },
    seed: '1/0',
    think: { meanS: 3 },
  })

const sum = (arrival: Arrival): number => (arrival.parts ?? []).reduce((all, { tokens }) => all + tokens, 0)

describe('a conversation', () => {
  it('takes along all that was said: 50 tokens, and 20 + 50 a turn, and then begins anew', () => {
    const own = played(users(4), 40).filter(({ user }) => user === 3)
    expect(own.slice(0, 5).map(({ promptTokens }) => promptTokens)).toEqual([50, 120, 190, 260, 50])
    expect(own.every(({ outputTokens }) => outputTokens === 20)).toBe(true)
  })

  it('begins each turn with what was said before, under the id of the turn that said it', () => {
    const [one, two, three, four, anew] = played(users(4), 40).filter(({ user }) => user === 3)
    expect(one?.parts).toBeUndefined()
    expect(two?.parts).toEqual([{ id: one?.ownId, tokens: 70 }])
    expect(three?.parts).toEqual([...(two?.parts ?? []), { id: two?.ownId, tokens: 70 }])
    expect(four?.parts).toEqual([...(three?.parts ?? []), { id: three?.ownId, tokens: 70 }])
    // Nobody goes on from the last turn.
    expect(four?.ownId).toBeUndefined()
    expect(anew?.parts).toBeUndefined()
    expect(new Set([one, two, three, anew].map((turn) => turn?.ownId)).size).toBe(4)
  })

  it('has its first conversation cut, so that users are not all at the same turn', () => {
    const turns = [0, 1, 2, 3].map((user) => {
      const own = played(users(4), 40).filter((arrival) => arrival.user === user)
      return own.slice(1).findIndex(({ promptTokens }) => promptTokens === 50) + 1
    })
    expect(turns).toEqual([1, 2, 3, 4])
  })

  it('ends where a request is refused, which ends when it came', () => {
    const source = users(4)
    const asked = [0, 1, 2, 3].map(() => source.take())
    const last = asked[3]
    if (last === undefined) throw new Error('four users ask')
    source.ended(last, last.atS)
    expect(source.take()).toMatchObject({ user: 3, promptTokens: 50 })
  })

  it('of people who come at a rate has all its turns, each after an answer and a pause', () => {
    const taken = played(rate(), 4000)
    const whole = taken.filter(({ user = 0 }) => user < 200)
    expect(whole).toHaveLength(800)
    for (let user = 0; user < 200; user++) {
      const own = whole.filter((arrival) => arrival.user === user)
      expect(own.map(({ promptTokens }) => promptTokens)).toEqual([50, 120, 190, 260])
      for (const [i, { atS }] of own.entries()) expect(atS).toBeCloseTo((own[0]?.atS ?? 0) + 4 * i, 4)
      for (const arrival of own) expect(sum(arrival)).toBe(arrival.promptTokens - 50)
    }
    expect(taken.every(({ atS }, i) => atS >= (taken[i - 1]?.atS ?? 0))).toBe(true)
  })

  it('makes as many requests a second as the rate says, not so many times more', () => {
    const taken = played(rate(), 8000)
    const fromS = 50
    const inside = taken.filter(({ atS }) => atS > fromS)
    const perSecond = inside.length / ((taken.at(-1)?.atS ?? 0) - fromS)
    // Requests come in fours: their count varies four times as much as that of single ones.
    expect(Math.abs(perSecond / 8 - 1)).toBeLessThan((4 * 2) / Math.sqrt(inside.length))
  })

  it('keeps a shared beginning at its beginning', () => {
    const taken = played(rate({ prefix: { share: 0.5, count: 1 } }), 400)
    const prefix = taken[0]?.parts?.[0]
    expect(prefix?.tokens).toBe(25)
    expect(taken.every(({ parts }) => parts?.[0]?.id === prefix?.id && parts?.[0]?.tokens === 25)).toBe(true)
    const second = taken.find(({ promptTokens }) => promptTokens === 120)
    expect(second?.parts?.map(({ tokens }) => tokens)).toEqual([25, 45])
  })
})
