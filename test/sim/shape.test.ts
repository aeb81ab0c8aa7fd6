import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../src/core/index.ts'
import { createSource, enginePolicy, lawStepTime, replay, simulate } from '../../src/sim/index.ts'

function refusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'INVALID_VALUE') return error.message
    throw error
  }
  throw new Error('it was not refused')
}

// What a caller without types may hand in.
const anything = (value: unknown): never => value as never

const work = { input: { kind: 'fixed', tokens: 100 }, output: { kind: 'fixed', tokens: 20 } } as const
const source = () => createSource({ arrivals: { kind: 'users', users: 4 }, work, seed: 1 })
const stepTime = lawStepTime({ baseS: 0.005, perSequenceS: 0.00025 })
const pool = { name: 'main', role: 'both', replicas: 1, dataParallel: 1, stepTime, policy: enginePolicy() } as const
const whole = () => ({
  fleet: { pools: [pool], routing: 'leastInFlight' as const },
  lanes: [{ name: 'all', priority: 0, users: 4, source: source() }],
  load: { kind: 'concurrency' as const, value: 4 },
  requests: 50,
})

describe('a caller without types', () => {
  it('is told all that simulate is not given', () => {
    const message = refusal(() => simulate(anything({})))
    for (const missing of ['fleet: ', 'lanes: ', 'load: ']) expect(message).toContain(missing)
    expect(refusal(() => simulate(anything(undefined)))).toBe(message)
    expect(simulate(whole()).requests.ok).toBeGreaterThan(0)
  })

  it.each([
    ['load', { load: undefined }, 'load: '],
    ['no kind of load', { load: { kind: 'users', value: 4 } }, 'load: '],
    ['routing', { fleet: { pools: [pool] } }, 'fleet.routing: '],
    ['policy', { fleet: { ...whole().fleet, pools: [{ ...pool, policy: { maxNumSeqs: 8 } }] } }, 'pools[0].policy: '],
    ['steps', { fleet: { ...whole().fleet, pools: [{ ...pool, stepTime: 0.005 }] } }, 'pools[0].stepTime: '],
    ['source', { lanes: [{ name: 'all', priority: 0 }] }, 'lanes[0].source: '],
  ])('is told of that alone which is wrong: %s', (_, wrong, told) => {
    const message = refusal(() => simulate(anything({ ...whole(), ...wrong })))
    expect(message).toContain(told)
    expect(message).not.toContain(';')
  })

  it('is told what createSource is not given', () => {
    expect(refusal(() => createSource(anything({})))).toContain('arrivals: ')
    expect(refusal(() => createSource(anything({ arrivals: { kind: 'trace' } })))).toContain('arrivals.trace: ')
    const rate = { arrivals: { kind: 'rate', rate: 5 } }
    const message = refusal(() => createSource(anything(rate)))
    for (const missing of ['work: ', 'seed: ', 'arrivals.process: ']) expect(message).toContain(missing)
  })

  it('is told what replay is not given', () => {
    const message = refusal(() => replay(anything(undefined), anything({}), anything(undefined)))
    for (const missing of ['requests: ', 'server.policy: ', 'stepTime: ']) expect(message).toContain(missing)
    const server = { dataParallel: 1, policy: enginePolicy({ maxNumSeqs: 8 }) }
    expect(replay([{ atS: 0, promptTokens: 10, outputTokens: 5 }], server, stepTime).unanswered).toBe(0)
  })
})

describe('the policy of an engine', () => {
  it('is what is said, and plain in all else', () => {
    expect(enginePolicy({ maxNumSeqs: 8 })).toEqual({ ...enginePolicy(), maxNumSeqs: 8 })
    expect(enginePolicy()).toMatchObject({ prefill: 'chunked', kv: 'preempt', kvTokens: Number.POSITIVE_INFINITY })
  })
})
