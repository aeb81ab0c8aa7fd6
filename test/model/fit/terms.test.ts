import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/core/index.ts'
import {
  createCurve,
  fitLaw,
  frontierOf,
  type Law,
  type LoadPoint,
  pointsOfRows,
  stepSeconds,
} from '../../../src/model/index.ts'

const pointsOf = (loads: readonly number[], stepS: (batch: number) => number): readonly LoadPoint[] =>
  pointsOfRows(loads.map((concurrency) => ({ concurrency, outputTokensPerSecond: concurrency / stepS(concurrency) })))

/** P322: 4 + 0.1 B + 20 (1 − (31/32)^B) ms. */
const SHAPE = { active: 1, all: 32 }
const mixture = (batch: number): number => 0.004 + 0.0001 * batch + 0.02 * (1 - (31 / 32) ** batch)
const dense = (batch: number): number => 0.005 + 0.00025 * batch

describe('the experts’ term', () => {
  it('is found where the points bend as experts do', () => {
    const { fit, between } = fitLaw(pointsOf([1, 4, 16, 32, 64, 128], mixture), { experts: SHAPE })
    expect(fit).toMatchObject({ law: 'expert', reliable: true, why: [], errorFrom: 'leaveOneOut' })
    expect(fit.stepMs?.base).toBeCloseTo(4, 6)
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.1, 6)
    expect(fit.stepMs?.experts).toMatchObject({ active: 1, all: 32 })
    expect(fit.stepMs?.experts?.ms).toBeCloseTo(20, 6)
    expect(fit.errorPct).toBeLessThan(1e-6)
    expect(between).toBe('law')
  })

  it.each([
    [{ active: 8, all: 16 }, [1, 8, 256, 512, 1024], 0.0118, 2.65e-5, 0.0571],
    [{ active: 4, all: 8 }, [1, 6, 8, 16, 64, 128], 0.000293, 0.000413, 0.001436],
    [{ active: 1, all: 8 }, [4, 24, 32, 1024], 0.00307, 5.39e-6, 0.01039],
  ])('of %o is found also where only the least load shows it', (experts, at, a, b, m) => {
    const truth = (batch: number): number => a + b * batch + m * (1 - (1 - experts.active / experts.all) ** batch)
    const { fit } = fitLaw(pointsOf(at, truth), { experts })
    expect(fit).toMatchObject({ law: 'expert', reliable: true })
    expect(fit.setAside).toBeUndefined()
    expect(fit.stepMs?.base).toBeCloseTo(1000 * a, 3)
    expect(fit.stepMs?.perSequence).toBeCloseTo(1000 * b, 6)
    expect(fit.stepMs?.experts?.ms).toBeCloseTo(1000 * m, 3)
  })

  it('is none of a stream that is slower alone, which no experts explain', () => {
    const truth = (batch: number): number => (batch === 1 ? 0.02 : dense(batch))
    const { fit } = fitLaw(pointsOf([1, 8, 16, 64, 256], truth), { experts: { active: 8, all: 16 } })
    expect(fit).toMatchObject({ law: 'affine', setAside: [{ point: 0, why: 'singleSequence' }] })
  })

  it('foretells the loads between three points, whatever the mixture', () => {
    const terms = fc.record({
      a: fc.double({ min: 0.001, max: 0.02, noNaN: true }),
      b: fc.double({ min: 1e-5, max: 5e-4, noNaN: true }),
      m: fc.double({ min: 0.001, max: 0.04, noNaN: true }),
      all: fc.constantFrom(64, 128, 256, 384),
    })
    fc.assert(
      fc.property(terms, ({ a, b, m, all }) => {
        const truth = (batch: number): number => a + b * batch + m * (1 - (1 - 8 / all) ** batch)
        const points = pointsOf([4, 32, 256], truth)
        const curve = createCurve(points, fitLaw(points, { experts: { active: 8, all } }))
        for (const load of [8, 16, 64, 128]) {
          // A mixture that hardly bends is taken for a straight line, which then is right to the noise of a measurement.
          expect(Math.abs((curve.at(load)?.tokensPerSecondPerUser ?? 0) * truth(load) - 1)).toBeLessThan(0.02)
        }
      }),
    )
  })

  it('is not taken where a straight line does as well', () => {
    for (const loads of [
      [4, 32, 256],
      [1, 2, 4, 8, 16, 32, 64],
    ]) {
      const { fit } = fitLaw(pointsOf(loads, dense), { experts: SHAPE })
      expect(fit.law).toBe('affine')
      expect(fit.stepMs?.experts).toBeUndefined()
      expect(fit.stepMs?.perSequence).toBeCloseTo(0.25, 6)
    }
  })

  it('is not taken where nobody says that there are experts', () => {
    expect(fitLaw(pointsOf([1, 4, 16, 32, 64, 128], mixture)).fit).toMatchObject({ law: 'affine', reliable: false })
  })

  it('gives no term below 0, no null, whatever the points', () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 1, max: 512 }), fc.double({ min: 1e-4, max: 10, noNaN: true })), {
      maxLength: 7,
    })
    fc.assert(
      fc.property(rows, (drawn) => {
        const points = pointsOfRows(
          drawn.map(([concurrency, stepS]) => ({ concurrency, outputTokensPerSecond: concurrency / stepS })),
        )
        const fitted = fitLaw(points, { gpus: 8, experts: { active: 8, all: 256 }, kvTokens: 1e6 })
        const frontier = frontierOf(points, createCurve(points, fitted), 8, [3, 17, 600])
        expect(JSON.stringify({ fit: fitted.fit, frontier })).not.toContain('null')
        expect(fitted.fit.stepMs?.experts?.ms ?? 0).toBeGreaterThanOrEqual(0)
        if (!fitted.fit.reliable) expect(fitted.fit.why).not.toEqual([])
      }),
    )
  })
})

describe('three points', () => {
  const experts = { active: 8, all: 256 }
  it.each([
    ['on a line', [4, 32, 256], dense, true, ''],
    ['of a mixture', [4, 32, 256], (b: number) => 0.006 + 5e-5 * b + 0.02 * (1 - (248 / 256) ** b), true, ''],
    ['that bend up', [4, 32, 256], (b: number) => 0.005 + 3e-6 * b ** 1.5, false, 'three points miss their line'],
    ['whose pace rises', [4, 32, 256], (b: number) => (b === 256 ? 0.008 : 0.01), false, 'pace rises with load'],
    ['that jump', [4, 32, 256], (b: number) => [0.004, 0.04, 0.042][[4, 32, 256].indexOf(b)] ?? 0, false, 'its error'],
  ])('%s', (_, loads, stepS, reliable, why) => {
    const { fit } = fitLaw(pointsOf(loads, stepS), { experts })
    expect(fit.reliable).toBe(reliable)
    expect(fit.why.join()).toContain(why)
  })

  it('have an interval at every load, also where they fit to the last digit', () => {
    const points = pointsOf([4, 32, 256], (b) => 0.006 + 5e-5 * b + 0.02 * (1 - (248 / 256) ** b))
    const frontier = frontierOf(points, createCurve(points, fitLaw(points, { experts })), 1, [5, 100])
    for (const asked of [5, 100]) {
      const point = frontier.find(({ concurrency }) => concurrency === asked)
      const pace = point?.tokensPerSecondPerUser ?? 0
      expect((point?.low ?? 0) / pace).toBeGreaterThan(0.85)
      expect((point?.low ?? 0) / pace).toBeLessThan(0.97)
      expect((point?.high ?? 0) / pace).toBeGreaterThan(1.03)
    }
  })
})

it('where no law fits, a load between two lies between their paces', () => {
  const jumps = (batch: number): number => [0.004, 0.04, 0.042][[4, 32, 256].indexOf(batch)] ?? 0
  const points = pointsOf([4, 32, 256], jumps)
  const fitted = fitLaw(points)
  expect(fitted.between).toBe('points')
  const at = frontierOf(points, createCurve(points, fitted), 1, [16]).find(({ concurrency }) => concurrency === 16)
  expect(at?.low).toBeCloseTo(25 / 1.02, 6)
  expect(at?.high).toBeCloseTo(250 * 1.02, 6)
})

describe('runs of several lengths', () => {
  const truth: Law = { baseS: 0.005, perSequenceS: 1e-4, perThousandKvTokensS: 2e-5, perPrefillTokenS: 3e-5 }
  /** Runs of one server: prompts and answers of so many tokens. */
  const runs = (lengths: readonly (readonly [number, number])[], law: Law, noise = 0): readonly LoadPoint[] => {
    const random = createRandom('lengths')
    return lengths.flatMap(([input, output], run) =>
      [1, 4, 16, 64].map((batch, i): LoadPoint => {
        const [contextTokens, promptTokens] = [input + output / 2, input / output]
        const step = { batch, kvTokens: batch * contextTokens, prefillTokens: batch * promptTokens }
        const stepS = stepSeconds(law, step) * (1 + noise * (2 * random.next() - 1))
        const index = 4 * run + i
        return {
          members: [index],
          load: batch,
          batch,
          stepS,
          outputTokensPerSecond: batch / stepS,
          contextTokens,
          promptTokens,
        }
      }),
    )
  }
  const lengths = [
    [1000, 1000],
    [8000, 1000],
    [1000, 8000],
  ] as const

  it('tell what context and what prompts cost', () => {
    const { fit } = fitLaw(runs(lengths, truth))
    expect(fit).toMatchObject({ law: 'kv+prefill', reliable: true })
    expect(fit.stepMs?.base).toBeCloseTo(5, 6)
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.1, 6)
    expect(fit.stepMs?.perThousandKvTokens).toBeCloseTo(0.02, 6)
    expect(fit.stepMs?.perPrefillToken).toBeCloseTo(0.03, 6)
  })

  it('tell only the term that there is', () => {
    const { perPrefillTokenS: _, ...memory } = truth
    const { perThousandKvTokensS: __, ...prompts } = truth
    expect(fitLaw(runs(lengths, memory, 0.01)).fit.law).toBe('kv')
    expect(fitLaw(runs(lengths, prompts, 0.01)).fit.law).toBe('prefill')
  })

  it('of one length only tell neither: there both grow as the batch does', () => {
    const { fit } = fitLaw(runs([[1000, 1000]], truth))
    expect(fit).toMatchObject({ law: 'affine', reliable: true })
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.1 + 0.02 * 1.5 + 0.03, 6)
  })

  it('are foretold each at its own length', () => {
    const points = runs(lengths, truth)
    const fitted = fitLaw(points)
    for (const [at, [input, output]] of lengths.entries()) {
      const own = points.slice(4 * at, 4 * at + 4)
      const step = { batch: 32, kvTokens: 32 * (input + output / 2), prefillTokens: (32 * input) / output }
      expect(createCurve(own, fitted).at(32)?.tokensPerSecondPerUser).toBeCloseTo(1 / stepSeconds(truth, step), 6)
    }
  })

  it('have their terms within the intervals nine times in ten', () => {
    let inside = 0
    const random = createRandom('terms')
    for (let draw = 0; draw < 300; draw++) {
      const noisy = runs(lengths, truth).map((point) => {
        const noise = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
        return { ...point, stepS: point.stepS * Math.exp(0.02 * noise) }
      })
      const { perThousandKvTokens: { low, high } = { low: 0, high: 0 } } = fitLaw(noisy).fit.stepMsInterval ?? {}
      if (low <= 0.02 && high >= 0.02) inside++
    }
    expect(inside / 300).toBeGreaterThan(0.9)
  })
})
