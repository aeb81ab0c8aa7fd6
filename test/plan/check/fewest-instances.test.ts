import { describe, expect, it } from 'vitest'
import type { PoolInstances } from '../../../src/core/index.ts'
import { fewestInstances, type LookedAt } from '../../../src/plan/check/fewest-instances.ts'
import type { Look } from '../../../src/plan/check/look.ts'

/** Needs so many of each kind: with fewer that read it is late, with fewer that answer slow. */
function need(needed: PoolInstances): {
  readonly tried: string[]
  find(mean: PoolInstances, peak: PoolInstances): LookedAt | undefined
} {
  const tried: string[] = []
  const look = ({ prefill, decode }: PoolInstances): Look => {
    tried.push(`${prefill} ${decode}`)
    const [late, slow] = [prefill < needed.prefill, decode < needed.decode]
    const share = late || slow ? 0.5 : 0.95
    return {
      units: 1,
      share,
      interval: { low: share, high: share },
      requests: 1000,
      ttftMs: { p50: 1, p99: 1 },
      inFlight: 1,
      arrivalsPerSecond: 1,
      residual: 0,
      overloaded: false,
      missed: { late: late ? 0.5 : 0, slow: slow ? 0.5 : 0 },
      sent: 1000,
    }
  }
  const lacking = ({ look: { missed } }: LookedAt): readonly (keyof PoolInstances)[] =>
    missed.late > 0 && missed.slow > 0 ? ['prefill', 'decode'] : [missed.late > 0 ? 'prefill' : 'decode']
  return { tried, find: (mean, peak) => fewestInstances(look, { mean, peak, share: 0.9, lacking }) }
}

const of = (prefill: number, decode: number): PoolInstances => ({ prefill, decode })

describe('the fewest instances', () => {
  it('are those of the mean where they hold it: nothing else is looked at', () => {
    const { tried, find } = need(of(2, 3))
    expect(find(of(2, 3), of(4, 5))?.instances).toEqual(of(2, 3))
    expect(tried).toEqual(['2 3'])
  })

  it('lie between the mean and the peak where the peak holds it', () => {
    expect(need(of(3, 4)).find(of(2, 3), of(5, 6))?.instances).toEqual(of(3, 4))
    expect(need(of(5, 6)).find(of(2, 3), of(5, 6))?.instances).toEqual(of(5, 6))
  })

  it('are one more of the kind that lacks, and none of the other', () => {
    expect(need(of(5, 6)).find(of(3, 4), of(4, 6))?.instances).toEqual(of(5, 6))
    expect(need(of(4, 7)).find(of(3, 4), of(4, 6))?.instances).toEqual(of(4, 7))
    expect(need(of(5, 7)).find(of(3, 4), of(4, 6))?.instances).toEqual(of(5, 7))
    expect(need(of(7, 6)).find(of(4, 6), of(4, 6))?.instances).toEqual(of(7, 6))
  })

  it('of many are found to a hundredth', () => {
    const found = need(of(470, 100)).find(of(300, 80), of(400, 100))?.instances
    expect(found?.decode).toBe(100)
    expect(found?.prefill).toBeGreaterThanOrEqual(470)
    expect(found?.prefill).toBeLessThanOrEqual(475)
  })

  it('are none where whatever is tried does not hold it', () => {
    const { tried, find } = need(of(1000, 1))
    expect(find(of(1, 1), of(2, 1))).toBeUndefined()
    expect(tried.length).toBeLessThan(12)
  })
})
