import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import type { ArrivalsPlan, SourcePlan } from '../../../src/sim/arrivals/source-plan.ts'
import type { WorkPlan } from '../../../src/sim/arrivals/work.ts'

const good = { input: { kind: 'fixed', tokens: 8 }, output: { kind: 'fixed', tokens: 8 } } as const
const poisson = { kind: 'poisson' } as const
const users: ArrivalsPlan = { kind: 'users', users: 2 }
const rate: ArrivalsPlan = { kind: 'rate', rate: 2, process: poisson }

function messageOf(plan: SourcePlan): string {
  try {
    createSource(plan)
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'INVALID_VALUE') return error.message.toLowerCase()
    throw error
  }
  return ''
}
const of = (arrivals: ArrivalsPlan, work: Partial<WorkPlan> = {}, meanS?: number): string =>
  messageOf({ arrivals, work: { ...good, ...work }, seed: '1', ...(meanS !== undefined && { think: { meanS } }) })

describe('what cannot be asked for', () => {
  it.each([
    ['users', { kind: 'users', users: 0 }, 'users'],
    ['half a user', { kind: 'users', users: 1.5 }, 'users'],
    ['a spread', { kind: 'users', users: 1, spreadS: Number.NaN }, 'spread'],
    ['a rate', { kind: 'rate', rate: 0, process: poisson }, 'rate'],
    ['a ramp', { kind: 'rate', rate: 1, rampS: -1, process: poisson }, 'ramp'],
    ['burstiness', { kind: 'rate', rate: 1, process: { kind: 'gamma', burstiness: 0 } }, 'burstiness'],
    ['a curve of one point', { kind: 'curve', points: [{ atS: 0, rate: 1 }], process: poisson }, 'two points'],
    ['a late curve', { kind: 'curve', points: [1, 2].map((atS) => ({ atS, rate: 1 })), process: poisson }, 'at 0 s'],
    ['a curve back', { kind: 'curve', points: [0, 2, 1].map((atS) => ({ atS, rate: 1 })), process: poisson }, 'at 1 s'],
    ['no day', { kind: 'curve', points: [0, 1].map((atS) => ({ atS, rate: 0 })), process: poisson }, 'nobody'],
    ['a rate below 0', { kind: 'curve', points: [0, 1].map((atS) => ({ atS, rate: -1 })), process: poisson }, 'is -1'],
  ] as const)('%s', (_, arrivals, word) => {
    expect(of(arrivals)).toContain(word)
  })

  it.each([
    ['turns', { turns: 0 }, 'turns'],
    ['a prompt without a token', { input: { kind: 'fixed', tokens: 0 } }, 'prompts'],
    ['an answer beyond all', { output: { kind: 'lognormal', median: 1e9, sigma: 1 } }, 'answers'],
    ['pairs', { pairs: [] }, 'pairs'],
    ['a share', { prefix: { share: 1, count: 1 } }, 'share'],
    ['texts', { prefix: { share: 0.5, count: 0 } }, 'texts'],
  ] as const)('%s', (_, work, word) => {
    expect(of(users, work)).toContain(word)
  })

  it('thinking, where nobody waits for an answer', () => {
    expect(of(rate, {}, 2)).toContain('nobody thinks')
    expect(of(rate, { turns: 2 }, 2)).toBe('')
    expect(of(users, {}, 2)).toBe('')
    expect(of(users, {}, 0)).toContain('thinks 0 s')
  })

  it('is told all at once, and what can be asked for is not refused', () => {
    const all = of({ kind: 'users', users: 0 }, { turns: 0, prefix: { share: 2, count: 1 } })
    for (const word of ['users', 'turns', 'share']) expect(all).toContain(word)
    const day = [
      { atS: 0, rate: 0 },
      { atS: 86_400, rate: 3 },
    ]
    expect(of({ kind: 'curve', points: day, process: { kind: 'constant' } })).toBe('')
    expect(of(rate, { prefix: { share: 0.5, count: 3 } })).toBe('')
  })
})
