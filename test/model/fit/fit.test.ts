import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/core/index.ts'
import { createCurve, type Fitted, fitLaw, frontierOf, type LoadPoint, pointsOfRows } from '../../../src/model/index.ts'

/** Points of a server whose step takes `stepS(batch)`, one replica, everyone in flight decoding. */
const pointsOf = (loads: readonly number[], stepS: (batch: number) => number): readonly LoadPoint[] =>
  pointsOfRows(loads.map((concurrency) => ({ concurrency, outputTokensPerSecond: concurrency / stepS(concurrency) })))

const terms = ({ fit }: Fitted): { base: number; perSequence: number } => {
  expect(fit.stepMs).toBeDefined()
  return fit.stepMs ?? { base: Number.NaN, perSequence: Number.NaN }
}

/** Standard normal, by Box and Muller. */
const gaussian = (next: () => number): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

const law = fc.record({
  a: fc.double({ min: 1e-4, max: 0.1, noNaN: true }),
  b: fc.double({ min: 1e-6, max: 0.01, noNaN: true }),
})
const loads = fc.uniqueArray(fc.integer({ min: 1, max: 1024 }), { minLength: 2, maxLength: 9 })

describe('the lesson', () => {
  const points = pointsOfRows([
    { concurrency: 20, outputTokensPerSecond: 2000 },
    { concurrency: 80, outputTokensPerSecond: 3200 },
  ])

  it('gives a = 5 ms, b = 0.25 ms, solo limit 200, ceiling 4000, half-batch 20', () => {
    const { fit } = fitLaw(points, { gpus: 1 })
    expect(fit.stepMs?.base).toBeCloseTo(5, 9)
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.25, 9)
    expect(fit.soloLimitTokensPerSecond).toBeCloseTo(200, 6)
    expect(fit.ceilingTokensPerSecondPerGpu).toBeCloseTo(4000, 6)
    expect(fit.halfBatch).toBeCloseTo(20, 9)
  })

  it('says that two loads do not show the error of a line', () => {
    expect(fitLaw(points).fit).toMatchObject({ reliable: false, errorFrom: 'residual' })
    expect(fitLaw(points).fit.why.join()).toContain('two loads')
  })
})

describe('exact points', () => {
  it('give the law back, whatever it is', () => {
    fc.assert(
      fc.property(law, loads, ({ a, b }, at) => {
        fc.pre(Math.max(...at) >= 1.2 * Math.min(...at))
        const found = terms(fitLaw(pointsOf(at, (batch) => a + b * batch)))
        const scale = a + b * Math.max(...at)
        expect(Math.abs(found.base / 1000 - a)).toBeLessThan(1e-9 * scale)
        expect(Math.abs(found.perSequence / 1000 - b)).toBeLessThan(1e-9 * scale)
      }),
    )
  })

  it('leave no error, and nothing set aside', () => {
    const { fit, between } = fitLaw(pointsOf([1, 2, 4, 8, 16], (batch) => 0.005 + 0.00025 * batch))
    expect(fit.errorPct).toBeLessThan(1e-9)
    expect(fit).toMatchObject({ errorFrom: 'leaveOneOut', reliable: true, why: [] })
    expect(fit.setAside).toBeUndefined()
    expect(between).toBe('law')
  })

  it('put the frontier on the straight line y = (1 − a·u) / (b·G)', () => {
    fc.assert(
      fc.property(law, loads, fc.integer({ min: 1, max: 16 }), ({ a, b }, at, gpus) => {
        fc.pre(Math.max(...at) >= 1.2 * Math.min(...at))
        const points = pointsOf(at, (batch) => a + b * batch)
        const frontier = frontierOf(points, createCurve(points, fitLaw(points, { gpus })), gpus)
        expect(frontier.length).toBeGreaterThanOrEqual(at.length)
        for (const point of frontier) {
          const line = (1 - a * point.tokensPerSecondPerUser) / (b * gpus)
          expect(Math.abs((point.tokensPerSecondPerGpu ?? 0) - line)).toBeLessThan(1e-6 / (b * gpus))
        }
      }),
    )
  })
})

describe('noisy points', () => {
  const random = createRandom('noise')
  const normal = (): number => gaussian(random.next)
  const draws = 1000

  it.each([
    { noise: 0.02, at: [1, 2, 4, 8, 16] },
    { noise: 0.1, at: [1, 2, 4, 8, 16] },
    { noise: 0.05, at: [1, 2, 4, 8] },
    { noise: 0.05, at: [2, 4, 8, 16, 32, 64] },
    { noise: 0.03, at: [4, 16, 64] },
    { noise: 0.05, at: [1, 2, 4, 8, 16, 32, 64, 128] },
  ])('are foretold within the stated interval, noise $noise at $at', ({ noise, at }) => {
    let inside = 0
    let asked = 0
    const covered = { base: 0, perSequence: 0 }
    for (let draw = 0; draw < draws; draw++) {
      const [a, b] = [0.005 * (0.2 + random.next()), 0.0004 * (0.2 + random.next())]
      const truth = (batch: number): number => a + b * batch
      const fitted = fitLaw(pointsOf(at, (batch) => truth(batch) * Math.exp(noise * normal())))
      const { line, fit } = fitted
      if (line === undefined) throw new Error('no line')
      for (const batch of [...at, 3, 24]) {
        asked++
        const measured = Math.log(truth(batch)) + noise * normal()
        if (Math.abs(measured - Math.log(line.baseS + line.perSequenceS * batch)) <= line.spread(batch)) inside++
      }
      const within = (value: number, interval: { low: number; high: number } | undefined): number =>
        interval !== undefined && value >= interval.low && value <= interval.high ? 1 : 0
      covered.base += within(1000 * a, fit.stepMsInterval?.base)
      covered.perSequence += within(1000 * b, fit.stepMsInterval?.perSequence)
    }
    expect(inside / asked).toBeGreaterThan(0.9)
    expect(covered.base / draws).toBeGreaterThan(0.9)
    expect(covered.perSequence / draws).toBeGreaterThan(0.9)
  })

  it('give the law within its interval in nine draws of ten', () => {
    let held = 0
    for (let draw = 0; draw < draws; draw++) {
      const points = pointsOf([1, 2, 4, 8, 16, 32], (batch) => (0.005 + 0.00025 * batch) * Math.exp(0.04 * normal()))
      const { line } = fitLaw(points)
      const miss = [1, 4, 16, 32].map(
        (batch) =>
          Math.abs(Math.log(((line?.baseS ?? 0) + (line?.perSequenceS ?? 0) * batch) / (0.005 + 0.00025 * batch))) <=
          (line?.spread(batch) ?? 0),
      )
      if (miss.every(Boolean)) held++
    }
    expect(held / draws).toBeGreaterThan(0.9)
  })

  it('hardly ever set B = 1 aside when it is on the line', () => {
    let aside = 0
    for (let draw = 0; draw < draws; draw++) {
      const { fit } = fitLaw(
        pointsOf([1, 2, 4, 8, 16], (batch) => (0.005 + 0.00025 * batch) * Math.exp(0.03 * normal())),
      )
      if (fit.setAside !== undefined) aside++
    }
    expect(aside / draws).toBeLessThan(0.1)
  })

  it('give an interval that holds its point and whose ends fall with load', () => {
    for (let draw = 0; draw < 100; draw++) {
      const points = pointsOf([1, 3, 7, 20, 50], (batch) => (0.005 + 0.00025 * batch) * Math.exp(0.05 * normal()))
      const frontier = frontierOf(points, createCurve(points, fitLaw(points)))
      frontier.forEach((point, i) => {
        if (point.low === undefined || point.high === undefined) return
        expect(point.low).toBeLessThanOrEqual(point.tokensPerSecondPerUser)
        expect(point.high).toBeGreaterThanOrEqual(point.tokensPerSecondPerUser)
        expect(point.low).toBeLessThanOrEqual(frontier[i - 1]?.low ?? Number.POSITIVE_INFINITY)
        expect(point.high).toBeLessThanOrEqual(frontier[i - 1]?.high ?? Number.POSITIVE_INFINITY)
      })
    }
  })
})

describe('many points', () => {
  const random = createRandom('many')
  const normal = (): number => gaussian(random.next)
  /** The error by the rule for few points, of points that are many. */
  const plainly = (points: readonly LoadPoint[]): number => {
    const squares = points.map((left) => {
      const { law: found } = fitLaw(points.filter((point) => point !== left))
      return (((found?.baseS ?? 0) + (found?.perSequenceS ?? 0) * left.batch) / left.stepS - 1) ** 2
    })
    return 100 * Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
  }

  it.each([
    ['on a line', (batch: number) => 0.005 + 0.00025 * batch],
    ['that bend', (batch: number) => 0.005 + 0.00002 * batch ** 1.5],
    ['whose step does not grow', () => 0.01],
    ['whose step needs less than no time', (batch: number) => 0.001 * batch ** 1.3],
  ])('%s: each foretold by the others, as leaving it out would', (_, stepS) => {
    const at = Array.from({ length: 150 }, (__, i) => 2 + 2 * i)
    const points = pointsOf(at, (batch) => stepS(batch) * Math.exp(0.05 * normal()))
    const { errorPct, errorFrom } = fitLaw(points).fit
    expect(errorFrom).toBe('leaveOneOut')
    expect(Math.abs(errorPct / plainly(points) - 1)).toBeLessThan(0.01)
  })
})

describe('what the law may not use', () => {
  it('sets B = 1 aside where T jumps between 1 and 2', () => {
    const { fit } = fitLaw(pointsOf([1, 2, 4, 8, 16], (batch) => (batch === 1 ? 0.0029 : 0.0056 + 0.0009 * batch)))
    expect(fit.setAside).toEqual([{ point: 0, why: 'singleSequence' }])
    expect(fit.stepMs?.base).toBeCloseTo(5.6, 6)
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.9, 6)
    expect(fit.range.min).toBe(2)
  })

  it('keeps B = 1 where too few others could tell', () => {
    expect(
      fitLaw(pointsOf([1, 2, 4], (batch) => (batch === 1 ? 0.0029 : 0.0056 + 0.0009 * batch))).fit.setAside,
    ).toBeUndefined()
  })

  it.each(['generatorSaturated', 'failures'])('sets a point with %s aside', (fault) => {
    const points = pointsOf([2, 4, 8, 16], (batch) => 0.005 + 0.00025 * batch)
    const spoiled = points.map((point) => (point.load === 16 ? { ...point, stepS: 0.1, fault } : point))
    const { fit } = fitLaw(spoiled)
    expect(fit.setAside).toEqual([{ point: 3, why: fault }])
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.25, 9)
  })
})

describe('points that carry no line', () => {
  it.each([
    ['one load', [20]],
    ['one load three times', [20, 20, 20]],
    ['loads of nearly one batch', [20, 21, 22]],
  ])('%s: not reliable, with the reason and without a number that is none', (_, at) => {
    let i = 0
    const { fit, law: none } = fitLaw(
      pointsOf(at, () => 0.01 + 0.001 * i++),
      { gpus: 1 },
    )
    expect(fit).toMatchObject({ reliable: false })
    expect(fit.why.join()).toMatch(/make a line/)
    expect(fit.stepMs).toBeUndefined()
    expect(none).toBeUndefined()
    expect(JSON.stringify(fit)).not.toContain('null')
  })

  it('no point at all is no error either', () => {
    expect(fitLaw([]).fit).toMatchObject({ reliable: false, why: ['no point is left to fit a law to'] })
  })

  it('never has a term below 0, an infinity or a null', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 512 }), fc.double({ min: 1e-4, max: 10, noNaN: true })), {
          maxLength: 8,
        }),
        (rows) => {
          const points = pointsOfRows(
            rows.map(([concurrency, stepS]) => ({ concurrency, outputTokensPerSecond: concurrency / stepS })),
          )
          const fitted = fitLaw(points, { gpus: 2 })
          const { fit } = fitted
          const frontier = frontierOf(points, createCurve(points, fitted), 2)
          expect(JSON.stringify({ fit, frontier })).not.toContain('null')
          expect(fit.stepMs?.base ?? 0).toBeGreaterThanOrEqual(0)
          expect(fit.stepMs?.perSequence ?? 0).toBeGreaterThanOrEqual(0)
          if (!fit.reliable) expect(fit.why).not.toEqual([])
        },
      ),
    )
  })

  it('a step that does not grow has no ceiling; one that needs less than no time has no solo limit', () => {
    const falling = fitLaw(pointsOf([1, 2, 4, 8], (batch) => 0.01 - 0.0005 * batch)).fit
    expect(falling.stepMs?.perSequence).toBe(0)
    expect(falling.ceilingTokensPerSecond).toBeUndefined()
    expect(falling.reliable).toBe(false)
    const steep = fitLaw(pointsOf([1, 2, 4, 8], (batch) => 0.001 * batch ** 1.3)).fit
    expect(steep.stepMs?.base).toBe(0)
    expect(steep.soloLimitTokensPerSecond).toBeUndefined()
    expect(steep.reliable).toBe(false)
  })
})

it('a step that hardly grows is a law like one that does not at all, whichever side of 0 it comes out', () => {
  for (const slope of [-1e-6, -1e-12, 0, 1e-12, 1e-6]) {
    const points = pointsOf([1, 2, 4, 8], (batch) => 0.01 + slope * batch)
    const fitted = fitLaw(points)
    expect(fitted).toMatchObject({ between: 'law', beyond: true, fit: { reliable: true, why: [] } })
    expect(fitted.fit.ceilingTokensPerSecond).toBeUndefined()
    expect(fitted.fit.soloLimitTokensPerSecond).toBeCloseTo(100, 1)
  }
})

it('points that bend away from the line are trusted above it', () => {
  const experts = (batch: number): number => 0.004 + 0.0001 * batch + 0.02 * (1 - (31 / 32) ** batch)
  const { fit, between } = fitLaw(pointsOf([1, 4, 16, 32, 64, 128], experts))
  expect(between).toBe('points')
  expect(fit.reliable).toBe(false)
})
