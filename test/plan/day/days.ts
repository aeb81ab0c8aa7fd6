import fc from 'fast-check'
import type { Trace } from '../../../src/core/index.ts'
import type { DaySource } from '../../../src/plan/day/index.ts'
import type { CurvePoint } from '../../../src/sim/index.ts'

export const curveOf = (...points: readonly (readonly [hours: number, rate: number])[]): DaySource => ({
  kind: 'curve',
  points: points.map(([hours, rate]) => ({ atS: 3600 * hours, rate })),
})

export const flat = (rate: number): DaySource => curveOf([0, rate], [24, rate])

export const traceOf = (rows: readonly (readonly [atS: number, outputTokens: number])[]): Trace => ({
  rows: rows.map(([atS, outputTokens]) => ({ atS, inputTokens: 100, outputTokens })),
  notes: [],
})

/** Two to six points, rates up to 20 a second, pieces of up to 1,000 s. */
export const curves: fc.Arbitrary<readonly CurvePoint[]> = fc
  .array(fc.tuple(fc.double({ min: 1, max: 1000, noNaN: true }), fc.double({ min: 0, max: 20, noNaN: true })), {
    minLength: 2,
    maxLength: 6,
  })
  .map((steps) => {
    let nowS = 0
    return steps.map(([lengthS, rate], i) => {
      nowS += i === 0 ? 0 : lengthS
      return { atS: nowS, rate: i === 0 ? rate + 1 : rate }
    })
  })

/** Up to 40 requests of up to 100 tokens within some minutes, the first at 0 and the last at another instant. */
export const traces: fc.Arbitrary<Trace> = fc
  .array(fc.tuple(fc.double({ min: 0, max: 200, noNaN: true }), fc.integer({ min: 1, max: 100 })), {
    minLength: 1,
    maxLength: 40,
  })
  .map((rows) =>
    traceOf([[0, 50], ...rows.sort(([a], [b]) => a - b), [201, 7]] as readonly (readonly [number, number])[]),
  )
