import { describe, expect, it } from 'vitest'
import { answerTimeS, enginePolicy, type Fleet, lawStepTime } from '../../src/sim/index.ts'

const fixed = (tokens: number) => ({ kind: 'fixed', tokens }) as const
const work = { input: fixed(64), output: fixed(50) }
const fleet: Fleet = {
  pools: [
    {
      name: 'main',
      role: 'both',
      replicas: 1,
      dataParallel: 1,
      policy: enginePolicy({
        maxNumSeqs: 64,
      }),
      stepTime: lawStepTime({ baseS: 0.01, perSequenceS: 0.001 }),
    },
  ],
  routing: 'roundRobin',
}

describe('how long an answer takes', () => {
  it('of a lone user: a step of the law for each token', () => {
    expect(answerTimeS({ fleet, work, users: 1 })).toBeCloseTo(50 * 0.011, 5)
  })

  it('of more users: steps of all of them, and the rest of one that has begun', () => {
    const of16 = answerTimeS({ fleet, work, users: 16 })
    expect(of16).toBeGreaterThan(50 * 0.026 * 0.98)
    expect(of16).toBeLessThan(51 * 0.026)
  })
})
