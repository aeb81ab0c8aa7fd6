import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ArrivalPlan, arrivalsOf } from '../../src/core/arrivals.ts'

function first(count: number, plan: ArrivalPlan): number[] {
  const arrivals = arrivalsOf(plan)
  return Array.from({ length: count }, () => arrivals.next().value)
}

const gapsOf = (times: readonly number[]): number[] => times.map((time, i) => time - (times[i - 1] ?? 0))

function momentsOf(gaps: readonly number[]): { mean: number; cv2: number } {
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
  return { mean, cv2: variance / mean ** 2 }
}

/** Correlation of a gap with the next: 0 where they are independent. */
function lagOf(gaps: readonly number[]): number {
  const { mean, cv2 } = momentsOf(gaps)
  const products = gaps.slice(1).map((gap, i) => (gap - mean) * ((gaps[i] ?? 0) - mean))
  return products.reduce((sum, product) => sum + product, 0) / products.length / (cv2 * mean ** 2)
}

const COUNT = 100_000

describe('arrivals', () => {
  it('come at the rate, and their gaps vary as the burstiness says: CV² = 1/burstiness', () => {
    for (const burstiness of [0.2, 0.5, 1, 2, 10]) {
      const gaps = gapsOf(first(COUNT, { process: { kind: 'gamma', burstiness }, rate: 8, seed: 1 }))
      const { mean, cv2 } = momentsOf(gaps)
      // Standard errors: of the mean CV/√n, of CV² some √(CV²·(2 + 6·CV²)/n)·√CV².
      expect(Math.abs(8 * mean - 1)).toBeLessThan((4 * Math.sqrt(1 / burstiness)) / Math.sqrt(COUNT))
      expect(cv2 * burstiness).toBeCloseTo(1, 1)
      expect(Math.abs(lagOf(gaps))).toBeLessThan(0.015)
    }
  })

  it('are as a Poisson process has them: a gap outlasts t with e^(−rate·t)', () => {
    const gaps = gapsOf(first(COUNT, { process: { kind: 'poisson' }, rate: 4, seed: 2 }))
    for (const t of [0.05, 0.25, 0.5, 1]) {
      const share = gaps.filter((gap) => gap > t).length / COUNT
      expect(Math.abs(share - Math.exp(-4 * t))).toBeLessThan(4 * Math.sqrt(0.25 / COUNT))
    }
  })

  it('come evenly where they are to be constant, and do not drift', () => {
    const times = first(COUNT, { process: { kind: 'constant' }, rate: 3, seed: 1 })
    expect(times.every((time, i) => Math.abs(time - (i + 1) / 3) < 1e-9)).toBe(true)
  })

  it('of two Poisson processes are together one of both rates', () => {
    const of = (rate: number, seed: string) => first(COUNT, { process: { kind: 'poisson' }, rate, seed })
    const [fast, slow] = [of(6, 'fast'), of(2, 'slow')]
    const untilS = Math.min(fast.at(-1)!, slow.at(-1)!)
    const both = [...fast, ...slow].filter((time) => time <= untilS).sort((a, b) => a - b)
    const gaps = gapsOf(both)
    const { mean, cv2 } = momentsOf(gaps)
    expect(8 * mean).toBeCloseTo(1, 1)
    expect(cv2).toBeCloseTo(1, 1)
    expect(Math.abs(lagOf(gaps))).toBeLessThan(0.015)
  })

  it('every k-th of a Poisson process are gamma arrivals of burstiness k', () => {
    const every4th = first(4 * COUNT, { process: { kind: 'poisson' }, rate: 20, seed: 3 }).filter((_, i) => i % 4 === 3)
    const drawn = first(COUNT, { process: { kind: 'gamma', burstiness: 4 }, rate: 5, seed: 4 })
    const shares = (times: readonly number[]) =>
      [0.05, 0.1, 0.2, 0.3, 0.5].map((t) => gapsOf(times).filter((gap) => gap > t).length / COUNT)
    shares(drawn).forEach((share, i) => {
      expect(Math.abs(share - (shares(every4th)[i] ?? 0))).toBeLessThan(6 * Math.sqrt(0.25 / COUNT))
    })
  })

  it('grow evenly up to the rate over a ramp: by then half as many as at the full rate, a quarter of these in its first half', () => {
    const plan = { rate: 100, rampS: 100 }
    const even = first(20_000, { ...plan, process: { kind: 'constant' }, seed: 1 })
    const sentBy = (times: readonly number[], s: number): number => times.filter((time) => time <= s + 1e-9).length
    expect(sentBy(even, 100)).toBe(5000)
    expect(sentBy(even, 50)).toBe(1250)
    expect(sentBy(even, 200) - sentBy(even, 100)).toBe(10_000)
    const poisson = first(20_000, { ...plan, process: { kind: 'poisson' }, seed: 1 })
    expect(Math.abs(sentBy(poisson, 100) - 5000)).toBeLessThan(4 * Math.sqrt(5000))
    expect(Math.abs(sentBy(poisson, 50) - 1250)).toBeLessThan(4 * Math.sqrt(1250))
  })

  it('never go back, and the same seed gives the same times, another one others', () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          rate: fc.double({ min: 0.01, max: 1e4, noNaN: true }),
          rampS: fc.double({ min: 0, max: 100, noNaN: true }),
          burstiness: fc.double({ min: 0.05, max: 50, noNaN: true }),
        }),
        ({ burstiness, ...rest }) => {
          const plan = { ...rest, process: { kind: 'gamma', burstiness } } as const
          const times = first(200, plan)
          expect(times.every((time, i) => Number.isFinite(time) && time >= (times[i - 1] ?? 0))).toBe(true)
          expect(first(200, plan)).toEqual(times)
          expect(first(200, { ...plan, seed: rest.seed + 1 })).not.toEqual(times)
        },
      ),
      { numRuns: 50 },
    )
  })
})
