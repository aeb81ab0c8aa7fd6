import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FIND_PRECISION, greatestLoad } from '../../../src/cli/simulate/find.ts'

const judgeBelow = (limit: number) => (load: number) => (load <= limit ? 'holds' : 'misses') as 'holds' | 'misses'

describe('the greatest load that holds', () => {
  it('is enclosed to a hundredth, wherever it lies and wherever the search begins', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e5, noNaN: true }),
        fc.double({ min: 1e-2, max: 1e4, noNaN: true }),
        (limit, start) => {
          const range = { start, least: 1e-4, most: 1e6, isWhole: false }
          const { held = Number.NaN, missed = Number.NaN } = greatestLoad(judgeBelow(limit), range)
          expect(held).toBeLessThanOrEqual(limit)
          expect(missed).toBeGreaterThan(limit)
          expect(missed - held).toBeLessThanOrEqual(FIND_PRECISION * held)
        },
      ),
    )
  })

  it('is the very number of users where a hundredth of them is less than one', () => {
    const range = { start: 8, least: 1, most: 1e6, isWhole: true }
    for (const limit of [1, 2, 7, 8, 9, 60, 100]) {
      expect(greatestLoad(judgeBelow(limit), range)).toEqual({ held: limit, missed: limit + 1 })
    }
  })

  it('has no load that misses where all hold, and none that holds where all miss', () => {
    const range = { start: 8, least: 1, most: 100, isWhole: true }
    expect(greatestLoad(() => 'holds', range)).toEqual({ held: 100 })
    expect(greatestLoad(() => 'misses', range)).toEqual({ missed: 1 })
  })
})
