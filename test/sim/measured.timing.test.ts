import { describe, expect, it } from 'vitest'
import { differencesOf } from '../../bench/sim-agreement/differences.ts'
import { measured } from '../../bench/sim-agreement/measured.ts'
import { simulated } from '../../bench/sim-agreement/simulated.ts'

/** Long steps, so that the millisecond or two by which a busy machine is late are little of them. */
const LAW = 'a=90ms,b=0.6ms,c=0.2ms,d=0.04ms'

/** The mark of 2 % for every figure is the benchmark's; of some hundred first tokens one late wake-up of the machine is more than that. */
const limitOf = (figure: string): number => (figure.startsWith('TTFT') ? 0.06 : 0.02)

describe('what is simulated is what is measured of our own engine', () => {
  it.each([
    { name: '16 users', load: { kind: 'concurrency', users: 16 } as const },
    { name: '12 requests/s', load: { kind: 'rate', perSecond: 12 } as const },
  ])('$name', async ({ name, load }) => {
    const lengths = { inputTokens: 'uniform:100-400', outputTokens: 'uniform:5-15' }
    const plan = { name, law: LAW, load, ...lengths, windowS: 10 }
    const run = await measured(plan)
    const differences = differencesOf(run.point, simulated(plan, run))
    expect(differences.filter(({ figure, off }) => !(Math.abs(off) <= limitOf(figure)))).toEqual([])
    // And it is sharp enough to tell a law that is 4 % slower from it.
    const other = { ...plan, law: 'a=93.6ms,b=0.624ms,c=0.208ms,d=0.0416ms' }
    const wrong = differencesOf(run.point, simulated(other, run))
    expect(wrong.filter(({ off }) => Math.abs(off) > 0.02).length).toBeGreaterThan(5)
  })
})
