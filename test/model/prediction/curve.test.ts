import { describe, expect, it } from 'vitest'
import {
  type Configuration,
  createConfiguration,
  findAccelerator,
  findModel,
  type Parallelism,
  predict,
  predictedCurve,
  predictedSplitCurve,
  predictSearch,
  predictSplit,
  toldCurves,
} from '../../../src/model/index.ts'

const lengths = { inputTokens: 1024, outputTokens: 256 }
const gpu = findAccelerator('h100-sxm')
const model = findModel('llama-3.1-8b')
const configurationOf = (parallelism: Partial<Parallelism> = {}): Configuration =>
  createConfiguration({ model, gpu, ...parallelism })

describe('the curve of a server that nobody ran', () => {
  it('is at every load, whole or not, what is predicted there', () => {
    const configuration = configurationOf({ tp: 2 })
    const { curve, gpus, standing } = predictedCurve(configuration, lengths)
    const loads = [1, 3, 7.5, 100, 333.3]
    const { frontier } = predict(configuration, { lengths, loads })
    expect(gpus).toBe(2)
    expect(standing).toBe('uncalibrated')
    for (const told of frontier) {
      expect(curve.at(told.concurrency)).toEqual({
        load: told.concurrency,
        tokensPerSecondPerUser: told.tokensPerSecondPerUser,
        outputTokensPerSecond: told.outputTokensPerSecond,
        ttftMs: told.ttftMs,
        source: 'extrapolated',
        low: told.low,
        high: told.high,
      })
    }
  })

  it('is the same of split pools', () => {
    const pools = { prefill: { count: 2, tp: 1 }, decode: { count: 1, tp: 2 } }
    const { curve, gpus } = predictedSplitCurve({ ...pools, lengths, configurationOf })
    const { frontier } = predictSplit({ ...pools, lengths, configurationOf, loads: [1, 12, 40.5] })
    expect(gpus).toBe(4)
    for (const { concurrency, tokensPerSecondPerUser, ttftMs } of frontier) {
      expect(curve.at(concurrency)).toMatchObject({ tokensPerSecondPerUser, ttftMs })
    }
  })

  it('of less than one in flight has the pace of one, and makes as much less', () => {
    const { curve } = predictedCurve(configurationOf(), lengths)
    const [one, half] = [curve.at(1), curve.at(0.5)]
    expect(half?.tokensPerSecondPerUser).toBe(one?.tokensPerSecondPerUser)
    expect(half?.outputTokensPerSecond).toBeCloseTo((one?.outputTokensPerSecond ?? 0) / 2, 9)
    for (const none of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(curve.at(none)).toBeUndefined()
  })

  it('ends where the memory or the engine does, and says that its law is of no measurement', () => {
    const { curve, memory } = predictedCurve(configurationOf(), lengths)
    const most = Math.min(memory.maxConcurrency, 1024)
    expect(curve.fitted.limit?.load).toBe(most)
    expect(curve.points.at(-1)?.load).toBe(most)
    const { fit } = curve.fitted
    expect(fit).toMatchObject({ reliable: false, serverLimit: most, gpus: 1, lengths: { input: 1024, output: 256 } })
    expect(fit.why[0]).toContain('none of them was measured')
    expect(curve.fitted.fit).toBe(fit)
  })

  it('says what it is that ends it, and of split pools how many decode there', () => {
    const endOf = (configuration: Configuration): unknown =>
      predictedCurve(configuration, lengths).curve.fitted.limit?.by
    expect(endOf(configurationOf())).toBe('kv')
    expect(endOf(createConfiguration({ model, gpu, maxNumSeqs: 8 }))).toBe('engine')
    const prefill = { count: 1, tp: 1 }
    const few = predictedSplitCurve({ prefill, decode: { count: 8, tp: 1 }, lengths, configurationOf }).curve.fitted
    const many = predictedSplitCurve({
      prefill: { count: 12, tp: 1 },
      decode: { count: 1, tp: 1 },
      lengths,
      configurationOf,
    }).curve.fitted
    expect(few.limit?.by).toBe('prefill')
    expect(many.limit?.by).toBe('kv')
    for (const { limit, fit } of [few, many]) {
      expect(limit?.batch).toBeLessThan(limit?.load ?? 0)
      expect(fit).toMatchObject({ serverLimit: limit?.batch, serverLimitBy: limit?.by })
    }
  })

  it('is between measurements where those of the very server scale it, and narrower', () => {
    const configuration = configurationOf()
    const plain = predictedCurve(configuration, lengths)
    const sample = { model: plain.stepModel, memory: plain.memory, lengths, load: 16 }
    const pace = 0.9 * (plain.curve.at(16)?.tokensPerSecondPerUser ?? 0)
    const scaled = predictedCurve(configuration, lengths, [{ ...sample, tokensPerSecondPerUser: pace }])
    expect(scaled.standing).toBe('interpolated')
    const point = scaled.curve.at(16)
    expect(point?.source).toBe('fitted')
    expect(point?.tokensPerSecondPerUser).toBeCloseTo(pace, 1)
    const widthOf = ({ low = 0, high = 0 }: { low?: number; high?: number } = {}): number => high / low
    expect(widthOf(point)).toBeLessThan(widthOf(plain.curve.at(16)))
  })
})

describe('the curves of a prediction that was printed', () => {
  const printed = predict(configurationOf(), { lengths })

  it('are at the loads that were told what was told, and between them between those', () => {
    const [told, ...others] = toldCurves(printed, 'p.json')
    const exact = predictedCurve(configurationOf(), lengths).curve
    expect(others).toEqual([])
    expect(told).toMatchObject({ gpus: 1, standing: 'uncalibrated' })
    for (const { concurrency, tokensPerSecondPerUser, ttftMs } of printed.frontier) {
      const point = told?.curve.at(concurrency)
      expect(point?.tokensPerSecondPerUser).toBeCloseTo(tokensPerSecondPerUser, 9)
      expect(point?.ttftMs).toBeCloseTo(ttftMs, 9)
    }
    for (const load of [3, 24, 100]) {
      const [near, truth] = [told?.curve.at(load), exact.at(load)]
      expect((near?.tokensPerSecondPerUser ?? 0) / (truth?.tokensPerSecondPerUser ?? 1)).toBeCloseTo(1, 1)
      expect(near?.source).toBe('extrapolated')
    }
    // A stay and a step both grow straight between two loads, so that output, pace and wait go on closing Little's law.
    const answer = lengths.outputTokens
    for (const load of [3, 24, 100, 200]) {
      const { tokensPerSecondPerUser: pace = 1, outputTokensPerSecond = 0, ttftMs = 0 } = told?.curve.at(load) ?? {}
      const stayS = ttftMs / 1000 + answer / pace
      expect(((load * answer) / stayS / outputTokensPerSecond).toFixed(2)).toBe('1.00')
    }
    const most = printed.frontier.at(-1)?.concurrency ?? 0
    expect(told?.curve.at(most)).toBeDefined()
    expect(told?.curve.at(most + 1)).toBeUndefined()
  })

  it('are of a search one for each configuration, on the GPUs that it uses', () => {
    const search = predictSearch({ model, gpu, gpus: 4, lengths, configurationOf })
    const curves = toldCurves(search, 's.json')
    const names = new Set(search.frontier.map(({ configuration }) => configuration))
    expect(new Set(curves.map(({ configuration }) => configuration))).toEqual(names)
    for (const { configuration, gpus } of curves) {
      expect(search.frontier.find((line) => line.configuration === configuration)?.gpus).toBe(gpus)
    }
  })

  it('are refused with every figure that is missing', () => {
    const [first, ...rest] = printed.frontier
    const broken = { ...printed, hardware: {}, frontier: [{ ...first, low: 'x' }, ...rest] }
    const read = (): unknown => toldCurves(broken as unknown as typeof printed, 'p.json')
    expect(read).toThrow(/p\.json: hardware\.gpus is missing; frontier\[0\]\.low is no number/)
  })
})
