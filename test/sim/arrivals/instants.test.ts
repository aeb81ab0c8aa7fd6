import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterwards } from '../../../src/sim/arrivals/instants.ts'
import { isWholeMicros } from './sources.ts'

describe('what an answer brings about', () => {
  it('comes at the first whole microsecond after it, never at it', () => {
    expect(afterwards(1)).toBe(1.000001)
    expect(afterwards(1.0000004)).toBe(1.000001)
    expect(afterwards(0.0000019)).toBe(0.000002)
    const times = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(times, (endS) => {
        const atS = afterwards(endS)
        expect(atS).toBeGreaterThan(endS)
        expect(atS - endS).toBeLessThanOrEqual(1.001e-6)
        expect(isWholeMicros(atS)).toBe(true)
      }),
    )
  })

  it('waits for a pause', () => {
    expect(afterwards(1, 2)).toBe(3)
    expect(afterwards(1, 1e-9)).toBe(1.000001)
  })
})
