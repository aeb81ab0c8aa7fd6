import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrivalsOf } from '../../../src/core/index.ts'
import { arrivalsOnCurve, type CurvePoint } from '../../../src/sim/arrivals/daily-curve.ts'

const constant = { kind: 'constant' } as const

function first(count: number, points: readonly CurvePoint[], process: { kind: 'constant' | 'poisson' } = constant) {
  const times = arrivalsOnCurve({ points, process, seed: 'day' })
  return Array.from({ length: count }, () => times.next().value)
}

const within = (times: readonly number[], fromS: number, toS: number): number =>
  times.filter((time) => time > fromS + 1e-9 && time <= toS + 1e-9).length

describe('a daily curve', () => {
  // Up from 0 to 8/s over 10 s, level for 10 s, down to 0 over 20 s: 40 + 80 + 80 a day of 40 s.
  const day = [
    { atS: 0, rate: 0 },
    { atS: 10, rate: 8 },
    { atS: 20, rate: 8 },
    { atS: 40, rate: 0 },
  ]

  it('brings as many as the area under it, in each part of each day', () => {
    const times = first(1000, day)
    for (const start of [0, 40, 160]) {
      expect(within(times, start, start + 5)).toBe(10)
      expect(within(times, start, start + 10)).toBe(40)
      expect(within(times, start + 10, start + 20)).toBe(80)
      expect(within(times, start + 20, start + 30)).toBe(60)
      expect(within(times, start + 30, start + 40)).toBe(20)
    }
  })

  it('of one level is the plain process of that rate', () => {
    const level = [
      { atS: 0, rate: 3 },
      { atS: 7, rate: 3 },
    ]
    const plain = arrivalsOf({ process: { kind: 'poisson' }, rate: 3, seed: 'day' })
    for (const time of first(500, level, { kind: 'poisson' })) expect(time).toBeCloseTo(plain.next().value, 8)
  })

  it('leaves nights without anybody empty, and starts again after them', () => {
    const night = [
      { atS: 0, rate: 4 },
      { atS: 10, rate: 4 },
      { atS: 10.001, rate: 0 },
      { atS: 30, rate: 0 },
    ]
    const times = first(200, night, { kind: 'poisson' })
    expect(times.every((time) => time % 30 <= 10.001 + 1e-9)).toBe(true)
    expect(times.some((time) => time > 30 && time < 40)).toBe(true)
  })

  it('never goes back', () => {
    const rate = fc.double({ min: 0, max: 50, noNaN: true })
    const curve = fc.array(fc.tuple(fc.double({ min: 0.01, max: 100, noNaN: true }), rate), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(curve, rate, (steps, start) => {
        const points = [{ atS: 0, rate: start + 0.1 }]
        for (const [widthS, to] of steps) points.push({ atS: (points.at(-1)?.atS ?? 0) + widthS, rate: to })
        const times = first(200, points, { kind: 'poisson' })
        expect(times.every((time, i) => Number.isFinite(time) && time >= (times[i - 1] ?? 0) - 1e-9)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})
