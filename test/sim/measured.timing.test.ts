import { describe, expect, it } from 'vitest'
import { differencesOf } from '../../bench/sim-agreement/differences.ts'
import { measured } from '../../bench/sim-agreement/measured.ts'
import { simulated } from '../../bench/sim-agreement/simulated.ts'

/** Long steps, so that what a busy machine adds is little of them. */
const LAW = 'a=40ms,b=0.5ms,c=0.1ms,d=0.02ms'

describe('what is simulated is what is measured of our own engine, within 2 % of every figure', () => {
  it.each([
    { name: '16 users', load: { kind: 'concurrency', users: 16 } as const, outputTokens: 'uniform:10-40' },
    { name: '25 requests/s', load: { kind: 'rate', perSecond: 25 } as const, outputTokens: 'uniform:5-20' },
  ])('$name', async ({ name, load, outputTokens }) => {
    const plan = { name, law: LAW, load, inputTokens: 'uniform:100-400', outputTokens, windowS: 10 }
    const run = await measured(plan)
    const differences = differencesOf(run.point, simulated(plan, run))
    expect(differences.filter(({ off }) => !(Math.abs(off) <= 0.02))).toEqual([])
    // And it is sharp enough to tell a law that is 4 % slower from it.
    const other = { ...plan, law: 'a=41.6ms,b=0.52ms,c=0.104ms,d=0.0208ms' }
    const wrong = differencesOf(run.point, simulated(other, run))
    expect(wrong.filter(({ off }) => Math.abs(off) > 0.02).length).toBeGreaterThan(5)
  })
})
