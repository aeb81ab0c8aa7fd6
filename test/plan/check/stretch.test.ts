import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { busiestStretch } from '../../../src/plan/check/stretch.ts'
import { traces } from '../day/days.ts'

const stayS = ({ outputTokens = 0 }: { readonly outputTokens?: number }): number => outputTokens / 10

describe('the busiest stretch of a trace', () => {
  it('has more in flight than any other of as many rows', () => {
    fc.assert(
      fc.property(traces, fc.integer({ min: 2, max: 20 }), ({ rows }, count) => {
        const { warm, from, to } = busiestStretch(rows, { count, warmS: 30, stayS })
        if (rows.length <= count) {
          expect([warm, from, to]).toEqual([0, 0, rows.length])
          return
        }
        expect(to - from).toBe(count)
        const inFlight = (first: number): number => {
          const part = rows.slice(first, first + count)
          const spanS = Math.max(1e-6, (part.at(-1)?.atS ?? 0) - (part[0]?.atS ?? 0))
          return part.reduce((sum, row) => sum + stayS(row), 0) / spanS
        }
        const most = Math.max(...Array.from({ length: rows.length - count + 1 }, (_, i) => inFlight(i)))
        expect(inFlight(from) / most).toBeGreaterThan(1 - 1e-6)
        // Before it all that came within 30 s, and none that came earlier.
        const beginsS = rows[from]?.atS ?? 0
        for (const [i, { atS }] of rows.entries()) {
          if (i < from) expect(i >= warm).toBe(atS >= beginsS - 30)
        }
      }),
      { seed: 2, numRuns: 200 },
    )
  })
})
