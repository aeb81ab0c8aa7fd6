import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PredictedLoad, TwospeedError } from '../../src/core/index.ts'
import { ACCELERATORS, MODELS } from '../../src/model/catalogue/catalogue.ts'
import { predict, predictSearch, predictSplit } from '../../src/model/index.ts'
import { IDEAL } from '../../src/model/roofline/constants.ts'
import {
  type Configuration,
  closedLoop,
  createConfiguration,
  createStepModel,
  type Lengths,
  memoryOf,
  type Parallelism,
  type PredictedPoint,
  type StepWork,
} from '../../src/model/roofline/index.ts'

const LENGTHS: Lengths = { inputTokens: 1000, outputTokens: 250 }

/** Whatever of the catalogue can be laid out so and fits; what cannot is somebody else's test. */
function ifItFits(of: () => Configuration, lengths: Lengths): Configuration | undefined {
  try {
    const configuration = of()
    memoryOf(configuration, lengths)
    return configuration
  } catch (error) {
    if (error instanceof TwospeedError) return undefined
    throw error
  }
}

const LAYOUTS = [
  { tp: 1 },
  { tp: 2 },
  { tp: 8 },
  { tp: 8, ep: 8 },
  { tp: 4, pp: 2 },
  { dp: 8, ep: 8 },
  { tp: 2, dp: 4, ep: 8 },
] as const

const CONFIGURATIONS: readonly Configuration[] = MODELS.flatMap((model) =>
  ACCELERATORS.flatMap((gpu) =>
    LAYOUTS.flatMap((layout) => ifItFits(() => createConfiguration({ model, gpu, ...layout }), LENGTHS) ?? []),
  ),
)

const anyConfiguration = fc.constantFrom(...CONFIGURATIONS)
const anyLengths: fc.Arbitrary<Lengths> = fc.record({
  inputTokens: fc.integer({ min: 1, max: 1000 }),
  outputTokens: fc.integer({ min: 16, max: 250 }),
})
const anyWork: fc.Arbitrary<StepWork> = fc.record({
  sequences: fc.integer({ min: 1, max: 1024 }),
  contextTokens: fc.integer({ min: 1, max: 100_000 }),
  prefillTokens: fc.integer({ min: 0, max: 8192 }),
  prefillContextTokens: fc.integer({ min: 0, max: 100_000 }),
})

const pointsAt = (
  configuration: Configuration,
  lengths: Lengths,
  loads: readonly number[],
): readonly PredictedPoint[] => {
  const [model, memory] = [createStepModel(configuration), memoryOf(configuration, lengths)]
  return loads.map((load) => closedLoop(model, memory, lengths, load))
}

const LOADS = [1, 2, 3, 5, 8, 16, 40, 100, 256, 700, 2000, 6000]
/** Bisections end somewhere; and two users may touch twice the experts of one, and so make no more between them. */
const SLACK = 5e-3

const RUNS = { seed: 4, numRuns: 200 }

describe('a step', () => {
  it('takes the sum of its parts, each of them a time, and none less than the datasheet alone allows', () => {
    fc.assert(
      fc.property(anyConfiguration, anyWork, (configuration, work) => {
        const model = createStepModel(configuration)
        const parts = model.parts(work)
        for (const { seconds, bytes, flops } of parts) {
          for (const value of [seconds, bytes, flops]) expect(value).toBeGreaterThanOrEqual(0)
        }
        const sum = parts.reduce((total, { seconds }) => total + seconds, 0)
        expect(model.stepSeconds(work) / sum).toBeCloseTo(1, 9)
        expect(model.stepSeconds(work)).toBeGreaterThan(createStepModel(configuration, IDEAL).stepSeconds(work))
      }),
      RUNS,
    )
  })

  it('takes no less time for more of anything', () => {
    fc.assert(
      fc.property(anyConfiguration, anyWork, fc.integer({ min: 1, max: 500 }), (configuration, work, more) => {
        const model = createStepModel(configuration)
        for (const key of ['sequences', 'contextTokens', 'prefillTokens'] as const) {
          const greater = { ...work, [key]: work[key] + more }
          expect(model.stepSeconds(greater)).toBeGreaterThanOrEqual(model.stepSeconds(work) * (1 - 1e-12))
        }
      }),
      RUNS,
    )
  })

  it('takes no more with more bandwidth, more FLOP/s or a faster link, and less with all of them', () => {
    fc.assert(
      fc.property(
        anyConfiguration,
        anyWork,
        fc.double({ min: 1.01, max: 4, noNaN: true }),
        (configuration, work, by) => {
          const { gpu } = configuration
          const flopsPerSecond = Object.fromEntries(
            Object.entries(gpu.flopsPerSecond).map(([type, rate]) => [type, rate * by]),
          )
          const link = { ...gpu.link, bytesPerSecond: gpu.link.bytesPerSecond * by }
          const memoryBytesPerSecond = gpu.memoryBytesPerSecond * by
          const secondsOn = (better: Partial<typeof gpu>): number =>
            createStepModel({ ...configuration, gpu: { ...gpu, ...better } }).stepSeconds(work)
          const seconds = secondsOn({})
          for (const better of [{ memoryBytesPerSecond }, { flopsPerSecond }, { link }])
            expect(secondsOn(better)).toBeLessThanOrEqual(seconds)
          expect(secondsOn({ memoryBytesPerSecond, flopsPerSecond, link })).toBeLessThan(seconds)
        },
      ),
      RUNS,
    )
  })
})

describe('a closed loop', () => {
  it('has figures that are numbers above 0 at every load', () => {
    fc.assert(
      fc.property(anyConfiguration, anyLengths, (configuration, lengths) => {
        for (const { load, binding, ...figures } of pointsAt(configuration, lengths, LOADS)) {
          for (const [name, value] of Object.entries(figures)) {
            expect(Number.isFinite(value) && value > 0, `${name} = ${value} at ${load}, ${binding}`).toBe(true)
          }
        }
      }),
      RUNS,
    )
  })

  it('gives each user no more, and makes no less in all, with more in flight', () => {
    fc.assert(
      fc.property(anyConfiguration, anyLengths, (configuration, lengths) => {
        const points = pointsAt(configuration, lengths, LOADS)
        points.slice(1).forEach((point, i) => {
          const before = points[i] as PredictedPoint
          expect(point.tokensPerSecondPerUser).toBeLessThanOrEqual(before.tokensPerSecondPerUser * (1 + SLACK))
          expect(point.outputTokensPerSecond).toBeGreaterThanOrEqual(before.outputTokensPerSecond * (1 - SLACK))
        })
      }),
      RUNS,
    )
  })

  it("holds Little's law: in flight = requests a second × the time of one", () => {
    fc.assert(
      fc.property(anyConfiguration, anyLengths, (configuration, lengths) => {
        for (const { load, outputTokensPerSecond, ttftMs, tpotMs } of pointsAt(configuration, lengths, LOADS)) {
          const { outputTokens } = lengths
          const seconds = (ttftMs + (outputTokens - 1) * tpotMs) / 1000
          const inFlight = (outputTokensPerSecond / outputTokens) * seconds
          expect(Math.abs(inFlight / load - 1), `${inFlight} of ${load}`).toBeLessThan(0.01)
        }
      }),
      RUNS,
    )
  })

  it('decodes no more at once than the memory or the engine holds; more in flight then wait, and make no more', () => {
    fc.assert(
      fc.property(anyConfiguration, anyLengths, (configuration, lengths) => {
        const { maxConcurrency } = memoryOf(configuration, lengths)
        const most = Math.min(maxConcurrency, configuration.maxNumSeqs)
        const [full, over] = pointsAt(configuration, lengths, [2 * most, 8 * most]) as [PredictedPoint, PredictedPoint]
        for (const { batch } of [full, over]) expect(batch).toBeLessThanOrEqual(most * (1 + SLACK))
        expect(over.outputTokensPerSecond / full.outputTokensPerSecond).toBeLessThan(1 + SLACK)
        expect(over.ttftMs).toBeGreaterThan(full.ttftMs)
      }),
      RUNS,
    )
  })
})

/** All numbers of an answer, by their paths, as JSON has them: what is not finite leaves as null. */
function numbersOf(answer: unknown, path = ''): readonly [path: string, value: number | null][] {
  if (answer === null || typeof answer === 'number') return [[path, answer]]
  if (typeof answer !== 'object') return []
  return Object.entries(answer).flatMap(([key, value]) => numbersOf(value, `${path}.${key}`))
}

function expectNumbers(answer: unknown): void {
  for (const [path, value] of numbersOf(JSON.parse(JSON.stringify(answer)))) {
    expect(value, path).not.toBeNull()
    expect(value, path).toBeGreaterThanOrEqual(0)
  }
}

describe('an answer', () => {
  it('holds nothing but numbers, of one layout or of split pools, explained and priced', () => {
    fc.assert(
      fc.property(anyConfiguration, anyLengths, (configuration, lengths) => {
        const { model, gpu, parallelism } = configuration
        const configurationOf = (layout: Parallelism): Configuration => createConfiguration({ model, gpu, ...layout })
        const pool = { count: 2, ...parallelism }
        expectNumbers(predict(configuration, { lengths, pricePerHour: 2.5, explain: true }))
        expectNumbers(
          predictSplit({ lengths, prefill: pool, decode: pool, configurationOf, pricePerHour: 2.5, floor: 20 }),
        )
      }),
      { seed: 4, numRuns: 20 },
    )
  })

  it('of a search is an envelope: along it pace falls and the speed per GPU rises', () => {
    fc.assert(
      fc.property(anyConfiguration, anyLengths, fc.integer({ min: 1, max: 24 }), ({ model, gpu }, lengths, more) => {
        const configurationOf = (layout: Parallelism): Configuration => createConfiguration({ model, gpu, ...layout })
        const gpus = 8 + more
        const answer = predictSearch({ model, gpu, gpus, lengths, configurationOf, floor: 20 })
        expectNumbers(answer)
        expect(answer.frontier.length).toBeGreaterThan(0)
        answer.frontier.slice(1).forEach((point, i) => {
          const before = answer.frontier[i] as PredictedLoad
          expect(point.tokensPerSecondPerUser).toBeLessThan(before.tokensPerSecondPerUser)
          expect(point.tokensPerSecondPerGpu).toBeGreaterThan(before.tokensPerSecondPerGpu)
        })
      }),
      { seed: 4, numRuns: 15 },
    )
  })
})
