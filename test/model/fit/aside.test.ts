import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/core/index.ts'
import { createCurve, fitLaw, type LoadPoint, pointsOfRows } from '../../../src/model/index.ts'

const pointsOf = (loads: readonly number[], stepS: (batch: number) => number): readonly LoadPoint[] =>
  pointsOfRows(loads.map((concurrency) => ({ concurrency, outputTokensPerSecond: concurrency / stepS(concurrency) })))

const line = (batch: number): number => 0.005 + 0.00025 * batch
const LOADS = [2, 4, 8, 16, 32, 64, 128]

describe('a repeat', () => {
  const repeats = (factors: readonly number[]) =>
    fitLaw([
      ...pointsOfRows(
        [1, 4, 16, 64].flatMap((concurrency) =>
          (concurrency === 16 ? factors : [1]).map((factor) => ({
            concurrency,
            outputTokensPerSecond: concurrency / (line(concurrency) * factor),
          })),
        ),
      ),
    ])

  it('that two others do not bear out is an outlier, and they stay', () => {
    const fitted = repeats([1, 1.01, 2.5])
    expect(fitted.fit.setAside).toEqual([{ point: 4, why: 'outlier' }])
    expect(fitted.fit).toMatchObject({ reliable: true, range: { max: 64 } })
    expect(fitted.fit.stepMs?.perSequence).toBeCloseTo(0.25, 2)
  })

  it('is none of two that differ, nor of three of which no two agree', () => {
    expect(repeats([1, 1.4]).fit.setAside).toBeUndefined()
    expect(pointsOfRows([5, 7, 9].map((pace) => ({ concurrency: 2, outputTokensPerSecond: pace })))).toHaveLength(1)
    expect(pointsOfRows([9, 9, 5].map((pace) => ({ concurrency: 2, outputTokensPerSecond: pace })))).toHaveLength(2)
  })

  it('is none where they scatter as far as it is off', () => {
    expect(
      pointsOfRows([92, 100, 107, 88].map((out) => ({ concurrency: 2, outputTokensPerSecond: out }))),
    ).toHaveLength(1)
  })
})

describe('an outlier', () => {
  it.each([
    ['half as fast', 2],
    ['a third slower', 1.33],
    ['much faster', 0.7],
  ])('%s is set aside, and the law is that of the others, and to be relied on', (_, factor) => {
    const { fit } = fitLaw(pointsOf(LOADS, (batch) => line(batch) * (batch === 16 ? factor : 1)))
    expect(fit.setAside).toEqual([{ point: 3, why: 'outlier' }])
    expect(fit).toMatchObject({ reliable: true, why: [] })
    expect(fit.stepMs?.base).toBeCloseTo(5, 6)
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.25, 6)
    expect(fit.errorPct).toBeLessThan(1e-6)
  })

  it('stays on the curve at its own load, for it was measured; around it the law answers', () => {
    const points = pointsOf(LOADS, (batch) => line(batch) * (batch === 16 ? 2 : 1))
    const curve = createCurve(points, fitLaw(points))
    expect(curve.at(16)).toMatchObject({ source: 'measured' })
    expect(curve.at(15)?.tokensPerSecondPerUser).toBeCloseTo(1 / line(15), 6)
  })

  it('that makes the highest output does not make the rest fall', () => {
    const { fit } = fitLaw(pointsOf(LOADS, (batch) => line(batch) * (batch === 64 ? 0.6 : 1)))
    expect(fit.setAside).toEqual([{ point: 5, why: 'outlier' }])
    expect(fit).toMatchObject({ reliable: true, range: { max: 128 } })
  })

  it('may be two of eight', () => {
    const { fit } = fitLaw(
      pointsOf([2, 4, 8, 16, 32, 64, 96, 128], (batch) => line(batch) * (batch === 8 || batch === 64 ? 1.5 : 1)),
    )
    expect(fit.setAside?.map(({ point }) => point).sort()).toEqual([2, 5])
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.25, 6)
  })

  it('is none where points scatter, bend, or are too few to tell', () => {
    const random = createRandom('outliers')
    let aside = 0
    for (let draw = 0; draw < 500; draw++) {
      const noise = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
      const slower = random.next()
      const { fit } = fitLaw(
        pointsOf(LOADS, (batch) => line(batch) * Math.exp(0.05 * noise * Math.cos(batch * slower * 7))),
      )
      if (fit.setAside?.some(({ why }) => why === 'outlier')) aside++
    }
    expect(aside / 500).toBeLessThan(0.02)
    const bend = (batch: number): number => 0.004 + 0.0001 * batch + 0.02 * (1 - (31 / 32) ** batch)
    expect(fitLaw(pointsOf(LOADS, bend)).fit.setAside).toBeUndefined()
    const few = fitLaw(pointsOf([4, 16, 32, 64], (batch) => line(batch) * (batch === 16 ? 1.5 : 1)))
    expect(few.fit.setAside).toBeUndefined()
    expect(few.fit.reliable).toBe(false)
  })
})

describe('output that falls', () => {
  const thrash = (batch: number): number => line(batch) * (batch > 64 ? 3 : 1)

  it('is set aside past its highest, and the fit says that it is not to be relied on, and why', () => {
    const points = pointsOf([4, 16, 64, 128, 256], thrash)
    const { fit } = fitLaw(points)
    expect(fit.setAside).toEqual([
      { point: 3, why: 'outputFalls' },
      { point: 4, why: 'outputFalls' },
    ])
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.25, 6)
    expect(fit.reliable).toBe(false)
    expect(fit.why.join()).toContain('at 128 in flight the server makes 1,153 tok/s, less than the 3,048 at 64')
  })

  it('is foretold by what was measured past the highest, by the law below it, and by nothing farther out', () => {
    const points = pointsOf([4, 16, 64, 128, 256], thrash)
    const curve = createCurve(points, fitLaw(points))
    expect(curve.at(32)?.tokensPerSecondPerUser).toBeCloseTo(1 / line(32), 6)
    expect(curve.at(96)?.tokensPerSecondPerUser).toBeCloseTo(2 / (thrash(64) + thrash(128)), 6)
    expect(curve.at(300)).toBeUndefined()
  })

  it('is a contradiction also where too few points are left without it', () => {
    const { fit } = fitLaw(pointsOf([4, 16, 64], (batch) => line(batch) * (batch === 64 ? 6 : 1)))
    expect(fit.setAside).toBeUndefined()
    expect(fit.reliable).toBe(false)
    expect(fit.why.join()).toContain('less than the')
  })

  it('is none where it only rises more slowly, or wavers', () => {
    const waver = [0, 0.01, -0.01, 0.012, -0.008]
    const flat = (batch: number): number => (batch / 2000) * (1 + (waver[Math.log2(batch) % 5] ?? 0))
    expect(fitLaw(pointsOf([32, 64, 128, 256], flat)).fit.why.join()).not.toContain('the server makes')
    expect(fitLaw(pointsOf(LOADS, line)).fit.reliable).toBe(true)
  })
})

it('a row with a fault is in no law, and the fault is told', () => {
  const rows = LOADS.map((concurrency) => ({
    concurrency,
    outputTokensPerSecond: concurrency / line(concurrency) / (concurrency === 128 ? 9 : 1),
    ...(concurrency === 128 && { fault: 'suspect' }),
  }))
  const { fit } = fitLaw(pointsOfRows(rows))
  expect(fit.setAside).toEqual([{ point: 6, why: 'suspect' }])
  expect(fit).toMatchObject({ reliable: true, range: { min: 2, max: 64 } })
})
