import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dealt } from '../../../src/plan/check/dealt.ts'

const rows = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

describe('rows that are dealt out', () => {
  it('are at any place as many as their share, give or take one hand, and each is whole and once', () => {
    const cases = fc.tuple(fc.integer({ min: 0, max: 600 }), fc.double({ min: 0.002, max: 0.999, noNaN: true }))
    fc.assert(
      fc.property(cases, fc.integer(), ([count, share], seed) => {
        const kept = dealt(rows(count), share, String(seed))
        expect(kept.length).toBe(Math.round(share * count))
        expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b))
        for (const [i, row] of kept.entries()) expect(Math.abs(i - share * row)).toBeLessThanOrEqual(2)
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it('are by chance: from other seeds others, from one seed the same, and each as often as another', () => {
    expect(dealt(rows(100), 0.25, 'a')).toEqual(dealt(rows(100), 0.25, 'a'))
    expect(dealt(rows(100), 0.25, 'a')).not.toEqual(dealt(rows(100), 0.25, 'b'))
    const times = new Uint32Array(8)
    for (let seed = 0; seed < 4000; seed++) {
      for (const row of dealt(rows(8), 0.25, String(seed))) times[row] = (times[row] ?? 0) + 1
    }
    // 1,000 ± 27 of each.
    for (const count of times) expect(Math.abs(count - 1000)).toBeLessThan(110)
  })

  it('are all where the share is all', () => {
    expect(dealt(rows(5), 1, 'a')).toEqual([0, 1, 2, 3, 4])
  })
})
