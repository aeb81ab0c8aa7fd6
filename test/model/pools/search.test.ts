import { describe, expect, it } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { atFloor, type PaceCurve } from '../../../src/model/pools/at-floor.ts'
import { type ConfigurationSearch, searchConfigurations } from '../../../src/model/pools/search.ts'
import { gpusOfPool, parallelismOf } from '../../../src/model/pools/split.ts'
import { greatestLoad, splitLoop } from '../../../src/model/pools/split-loop.ts'
import { createSplitPools } from '../../../src/model/pools/split-pools.ts'
import {
  type Configuration,
  closedLoop,
  createConfiguration,
  createStepModel,
  memoryOf,
  type Parallelism,
  type PredictedPoint,
} from '../../../src/model/roofline/index.ts'

const LENGTHS = { inputTokens: 2048, outputTokens: 512 }

interface Question {
  readonly model: string
  readonly gpu: string
  readonly gpus: number
  readonly precision?: string
  readonly floor?: number
  readonly ttftMs?: number
}

function setting(question: Question): Parameters<typeof searchConfigurations>[0] {
  const model = findModel(question.model)
  const gpu = findAccelerator(question.gpu)
  const configurationOf = (parallelism: Parallelism): Configuration =>
    createConfiguration({ model, gpu, precision: question.precision ?? 'fp8', ...parallelism })
  return { ...question, model, gpu, lengths: LENGTHS, configurationOf }
}

const search = (question: Question): ConfigurationSearch => searchConfigurations(setting(question))

const DENSE: Question = { model: 'Llama-3.1-70B', gpu: 'h100-sxm', gpus: 8 }
const EXPERTS: Question = { model: 'DeepSeek-V3', gpu: 'h200-sxm', gpus: 16 }

describe('a search over a budget of GPUs', () => {
  it.each([DENSE, EXPERTS])('gives an envelope whose points are what their layouts do: $model', (question) => {
    const { envelope, considered } = search(question)
    const { configurationOf } = setting(question)
    expect(considered).toBeGreaterThan(20)
    expect(envelope.length).toBeGreaterThan(5)
    envelope.slice(1).forEach((point, i) => {
      expect(point.tokensPerSecondPerUser).toBeLessThan(envelope[i]?.tokensPerSecondPerUser ?? 0)
      expect(point.tokensPerSecondPerGpu).toBeGreaterThan(
        envelope[i]?.tokensPerSecondPerGpu ?? Number.POSITIVE_INFINITY,
      )
    })
    for (const point of envelope) {
      expect(point.gpus).toBeLessThanOrEqual(question.gpus)
      expect(point.tokensPerSecondPerGpu).toBeCloseTo(point.outputTokensPerSecond / question.gpus, 9)
      if (point.split !== undefined) {
        const split = createSplitPools({ ...point.split, lengths: LENGTHS, configurationOf })
        expect(point.gpus).toBe(split.gpus)
        expect(point.tokensPerSecondPerUser).toBeGreaterThan(0)
        expect(point.label).toMatch(/^\d+ × TP\d+.* prefill, \d+ × TP\d+.* decode$/)
      } else {
        const pool = point.colocated
        if (pool === undefined) throw new Error('neither split nor colocated')
        expect(point.gpus).toBe(gpusOfPool(pool))
        const configuration = configurationOf(parallelismOf(pool))
        const memory = memoryOf(configuration, LENGTHS)
        const one = closedLoop(createStepModel(configuration), memory, LENGTHS, point.load / pool.count)
        expect(point.tokensPerSecondPerUser).toBeCloseTo(one.tokensPerSecondPerUser, 6)
        expect(point.outputTokensPerSecond).toBeCloseTo(pool.count * one.outputTokensPerSecond, 6)
      }
    }
  })

  it('finds as much at every floor as counting through every TP and every split of a dense model', () => {
    const { configurationOf } = setting(DENSE)
    const layouts: PaceCurve[] = []
    const sizes = [1, 2, 4, 8]
    for (const tp of sizes) {
      const configuration = configurationOf({ tp, pp: 1, ep: 1, dp: 1 })
      const [model, memory] = [createStepModel(configuration), memoryOf(configuration, LENGTHS)]
      const at = (load: number): PredictedPoint => closedLoop(model, memory, LENGTHS, load)
      layouts.push({ gpus: tp, most: Math.floor(memory.maxConcurrency), at })
      for (const prefill of sizes) {
        for (let readers = 1; readers * prefill + tp <= 8; readers++) {
          const writers = Math.floor((8 - readers * prefill) / tp)
          const pools = { prefill: { count: readers, tp: prefill }, decode: { count: writers, tp } }
          const split = createSplitPools({ ...pools, lengths: LENGTHS, configurationOf })
          layouts.push({ gpus: 8, most: greatestLoad(split).load, at: (load) => splitLoop(split, load) })
        }
      }
    }
    expect(layouts.length).toBeGreaterThan(30)
    for (const floor of [5, 10, 20, 30, 40, 60, 80, 100]) {
      const most = Math.max(...layouts.map((layout) => atFloor(layout, floor)?.tokensPerSecondPerGpu ?? 0))
      const found = search({ ...DENSE, floor }).best?.tokensPerSecondPerGpu ?? 0
      expect(most).toBeGreaterThan(0)
      // Whole loads, and layouts better by less than a fiftieth left out.
      expect(found / most).toBeGreaterThan(0.95)
      expect(found / most).toBeLessThan(1.01)
    }
  })

  it('finds the most per GPU at a floor, and nothing above what is possible', () => {
    for (const question of [DENSE, EXPERTS]) {
      const { best, envelope } = search({ ...question, floor: 30 })
      expect(best?.tokensPerSecondPerUser).toBeGreaterThanOrEqual(30)
      const kept = envelope.filter((point) => point.tokensPerSecondPerUser >= 30)
      for (const point of kept)
        expect(best?.tokensPerSecondPerGpu).toBeGreaterThanOrEqual(0.98 * point.tokensPerSecondPerGpu)
    }
    expect(search({ ...DENSE, floor: 5000 }).best).toBeUndefined()
    expect(search(DENSE).best).toBeUndefined()
  })

  it.each([
    [DENSE, 40],
    [EXPERTS, 30],
    [{ ...DENSE, gpus: 16, precision: 'bf16', ttftMs: 500 }, 40],
    [{ ...DENSE, gpus: 10, precision: 'bf16' }, 25],
  ] as const)('has the best at a floor among its points, and no point there gives more: %o, %d', (question, floor) => {
    const { best, envelope } = search({ ...question, floor })
    expect(envelope).toContain(best)
    const kept = envelope.filter((point) => point.tokensPerSecondPerUser >= floor)
    expect(Math.max(...kept.map(({ tokensPerSecondPerGpu }) => tokensPerSecondPerGpu))).toBe(
      best?.tokensPerSecondPerGpu,
    )
  })

  it.each([DENSE, EXPERTS])(
    'tells the least wait where none is short enough, and finds it when asked: $model',
    (question) => {
      const { envelope, leastTtftMs } = search({ ...question, ttftMs: 1 })
      expect(envelope).toEqual([])
      if (leastTtftMs === undefined) throw new Error('no least wait')
      expect(leastTtftMs).toBeGreaterThan(1)
      const found = search({ ...question, ttftMs: 1.001 * leastTtftMs })
      expect(found.envelope.length).toBeGreaterThan(0)
      expect(found.leastTtftMs).toBeUndefined()
      expect(search({ ...question, ttftMs: 0.999 * leastTtftMs }).envelope).toEqual([])
    },
  )

  it('keeps the wait for a first token where one is asked for', () => {
    const free = search(EXPERTS).envelope
    const limit = 400
    const kept = search({ ...EXPERTS, ttftMs: limit }).envelope
    expect(free.some((point) => point.ttftMs > limit)).toBe(true)
    expect(kept.length).toBeGreaterThan(3)
    const best = search({ ...EXPERTS, floor: 30 }).best
    const ttftMs = 0.9 * (best?.ttftMs ?? 0)
    const quicker = search({ ...EXPERTS, floor: 30, ttftMs }).best
    expect(quicker?.ttftMs).toBeLessThanOrEqual(ttftMs)
    expect(quicker?.tokensPerSecondPerGpu).toBeLessThan(best?.tokensPerSecondPerGpu ?? 0)
    for (const point of kept) expect(point.ttftMs).toBeLessThanOrEqual(limit)
  })

  it('takes stages of a pipeline only for what fits no other way', () => {
    expect(search(DENSE).envelope.every(({ label }) => !label.includes('PP'))).toBe(true)
    // 812 GB on sixteen GPUs of 80 GiB in domains of eight.
    const { envelope } = search({ model: 'Llama-3.1-405B', gpu: 'h100-sxm', gpus: 16, precision: 'bf16' })
    expect(envelope.some(({ label }) => label.includes('PP'))).toBe(true)
    expect(envelope.every(({ label }) => label.includes('PP') || label.includes('TP16'))).toBe(true)
  })

  it('looks beyond a domain, where nothing in one is as fast for a lone user', () => {
    const [fastest] = search({ model: 'Llama-3.1-8B', gpu: 'l40s', gpus: 16 }).envelope
    expect(fastest?.label).toBe('1 × TP16')
    expect(search(DENSE).envelope.every(({ colocated }) => (colocated?.tp ?? 1) <= 8)).toBe(true)
  })

  it('has nothing to split of a single GPU', () => {
    const { envelope } = search({ model: 'Llama-3.1-8B', gpu: 'h100-sxm', gpus: 1 })
    expect(envelope.length).toBeGreaterThan(5)
    expect(envelope.every(({ label }) => label === '1 × TP1')).toBe(true)
  })

  it('refuses with the arithmetic what fits in no way', () => {
    expect(() => search({ ...DENSE, model: 'Llama-3.1-405B', gpus: 2 })).toThrow(/GB|GiB/)
  })
})
