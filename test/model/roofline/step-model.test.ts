import { describe, expect, it } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { CONSTANTS, IDEAL } from '../../../src/model/roofline/constants.ts'
import {
  type ConfigurationOptions,
  closedLoop,
  createConfiguration,
  createStepModel,
  memoryOf,
  type StepModel,
  type StepPart,
  type StepWork,
} from '../../../src/model/roofline/index.ts'

type Asked = Omit<ConfigurationOptions, 'model' | 'gpu'>

const stepModel = (model: string, gpu: string, asked: Asked = {}, constants = CONSTANTS): StepModel =>
  createStepModel(createConfiguration({ model: findModel(model), gpu: findAccelerator(gpu), ...asked }), constants)

const decode = (sequences: number, contextTokens = 1000): StepWork => ({
  sequences,
  contextTokens,
  prefillTokens: 0,
  prefillContextTokens: 0,
})
const prompt = (prefillTokens: number): StepWork => ({
  sequences: 0,
  contextTokens: 0,
  prefillTokens,
  prefillContextTokens: prefillTokens / 2,
})
const part = (model: StepModel, name: string, work: StepWork): StepPart | undefined =>
  model.parts(work).find((one) => one.name === name)
const secondsOf = (model: StepModel, name: string, work: StepWork): number => part(model, name, work)?.seconds ?? 0

describe('a step', () => {
  it('is tallied by what binds its parts as they say', () => {
    const model = stepModel('DeepSeek-V3', 'h200-sxm', { tp: 8 })
    const work = { ...decode(64), prefillTokens: 2048, prefillContextTokens: 1024 }
    const tally = { weights: 0, kv: 0, compute: 0, communication: 0, overhead: 0 }
    model.tally(work, 0.25, tally)
    const parts = { weights: 0, kv: 0, compute: 0, communication: 0, overhead: 0 }
    for (const { binds, seconds } of model.parts(work)) parts[binds] += seconds / 4
    for (const kind of ['weights', 'kv', 'compute', 'communication', 'overhead'] as const) {
      expect(tally[kind]).toBeCloseTo(parts[kind], 12)
    }
    expect(parts.compute).toBeGreaterThan(0)
    expect(parts.communication).toBeGreaterThan(0)
  })

  it('reads half the weights over two ranks, and adds up their sums', () => {
    const [one, two] = [1, 2].map((tp) => stepModel('Llama-3.1-8B', 'h100-sxm', { tp }, IDEAL))
    if (one === undefined || two === undefined) throw new Error('no model')
    for (const name of ['projections', 'feedForward', 'head', 'attention']) {
      expect(secondsOf(one, name, decode(4)) / secondsOf(two, name, decode(4))).toBeCloseTo(2, 6)
    }
    expect(part(one, 'allReduce', decode(4))).toBeUndefined()
    expect(secondsOf(two, 'allReduce', decode(4))).toBeGreaterThan(0)
  })

  it('near the ridge hides reading and arithmetic behind each other only in part, and far from it wholly', () => {
    const model = stepModel('Llama-3.1-8B', 'h100-sxm', {}, IDEAL)
    const over = (tokens: number): number => {
      const { seconds = 0, bytes = 0, flops = 0 } = part(model, 'feedForward', prompt(tokens)) ?? {}
      return seconds / Math.max(bytes / 3350e9, flops / 989e12)
    }
    expect(over(295)).toBeCloseTo(2 ** 0.25, 2)
    expect(over(8)).toBeCloseTo(1, 4)
    expect(over(8192)).toBeCloseTo(1, 4)
  })

  it('gives a lone sequence no less over copies or stages than over one', () => {
    const [one, copies, stages] = [{}, { dp: 8, ep: 8 }, { pp: 2 }].map((asked) =>
      stepModel('DeepSeek-V3', 'b200-sxm', { tp: asked.dp === undefined ? 8 : 1, ...asked }, IDEAL),
    )
    if (one === undefined || copies === undefined || stages === undefined) throw new Error('no model')
    expect(secondsOf(copies, 'experts', decode(1))).toBeGreaterThanOrEqual(0.999 * secondsOf(one, 'experts', decode(1)))
    expect(stages.stepSeconds(decode(1))).toBeGreaterThanOrEqual(one.stepSeconds(decode(1)))
    expect(stages.stepSeconds(decode(256))).toBeLessThan(one.stepSeconds(decode(256)))
  })
})

describe('links', () => {
  const spread = { tp: 1, dp: 16, ep: 16 }

  it('take tokens to their experts where attention is copied, and only sums where it is cut', () => {
    const copied = stepModel('DeepSeek-V3', 'gb200', spread)
    expect(part(copied, 'allReduce', decode(64))).toBeUndefined()
    expect(part(copied, 'allToAll', decode(64))?.binds).toBe('communication')
    const cut = stepModel('DeepSeek-V3', 'gb200', { tp: 16, ep: 16 })
    expect(part(cut, 'allToAll', decode(64))).toBeUndefined()
    expect(part(cut, 'allReduce', decode(64))?.binds).toBe('communication')
  })

  it('beyond a node are those of network cards', () => {
    const inside = secondsOf(stepModel('DeepSeek-V3', 'gb200', spread), 'allToAll', decode(2048))
    const beyond = secondsOf(stepModel('DeepSeek-V3', 'b200-sxm', spread), 'allToAll', decode(2048))
    expect(beyond).toBeGreaterThan(1.5 * inside)
    const eight = { tp: 1, dp: 8, ep: 8 }
    const within = secondsOf(stepModel('DeepSeek-V3', 'b200-sxm', eight), 'allToAll', decode(2048))
    expect(within).toBeCloseTo(secondsOf(stepModel('DeepSeek-V3', 'gb200', eight), 'allToAll', decode(2048)), 6)
  })
})

describe('experts in mxfp4', () => {
  const experts = (gpu: string, tokens: number): number =>
    secondsOf(stepModel('gpt-oss-120b', gpu), 'experts', decode(tokens, 0))

  it('are unpacked on Hopper, whose memory is then not what holds them up', () => {
    expect(experts('h200-sxm', 16) / experts('h100-sxm', 16)).toBeGreaterThan(0.9)
    expect(experts('b200-sxm', 16)).toBeLessThan(0.7 * experts('h200-sxm', 16))
  })
})

describe('attention', () => {
  const growth = (model: StepModel, near: number, far: number): number =>
    (part(model, 'attention', decode(1, far))?.bytes ?? 0) / (part(model, 'attention', decode(1, near))?.bytes ?? 1)

  it('reads as many tokens as there are, half of them where half of the layers have a window', () => {
    expect(growth(stepModel('Llama-3.1-8B', 'b200-sxm'), 10_000, 20_000)).toBeCloseTo(2, 9)
    const windowed = part(stepModel('gpt-oss-120b', 'b200-sxm'), 'attention', decode(1, 20_000))
    // 18 layers look at all and 18 at 128: 8 KV heads of 64 numbers, K and V in two bytes.
    expect(windowed?.bytes).toBeCloseTo(18 * (20_000 + 128) * 2 * 8 * 64 * 2, 0)
  })

  it('that is sparse reads the latents of 2 048 tokens, and an index of them all', () => {
    const [dense, sparse] = ['DeepSeek-V3', 'DeepSeek-V3.2'].map((name) => stepModel(name, 'b200-sxm', { tp: 8 }))
    if (dense === undefined || sparse === undefined) throw new Error('no model')
    const bytes = (model: StepModel, context: number): number =>
      part(model, 'attention', decode(1, context))?.bytes ?? 0
    expect(bytes(dense, 100_000)).toBeCloseTo(61 * 100_000 * 576 * 2, 0)
    expect(bytes(sparse, 100_000)).toBeCloseTo(61 * (2048 * 576 * 2 + 100_000 * 128), 0)
    expect(bytes(sparse, 1000)).toBeGreaterThan(bytes(dense, 1000))
  })

  it('reads and writes the state of linear layers, however long the context', () => {
    const shape = findModel('Qwen3.5-397B-A17B')
    const { linear } = shape
    if (linear === undefined || shape.attention.kind !== 'grouped') throw new Error('the shape has no linear layers')
    const bytes = part(
      stepModel('Qwen3.5-397B-A17B', 'b200-sxm', { tp: 1, precision: 'fp4' }),
      'attention',
      decode(1, 0),
    )
    expect(bytes?.bytes).toBeCloseTo(2 * 4 * linear.layers * linear.valueHeads * linear.keyDim * linear.valueDim, -2)
  })
})

describe('a wait that was seen longer than foretold', () => {
  it('lengthens the first token and leaves the pace nearly alone', () => {
    const model = stepModel('Llama-3.1-8B', 'h100-sxm')
    const lengths = { inputTokens: 1024, outputTokens: 1024 }
    const memory = memoryOf(model.configuration, lengths)
    const [as, twice] = [model, { ...model, waitFactor: () => 2 }].map((one) => closedLoop(one, memory, lengths, 16))
    expect((twice?.ttftMs ?? 0) / (as?.ttftMs ?? 1)).toBeCloseTo(2, 1)
    expect((twice?.tpotMs ?? 0) / (as?.tpotMs ?? 1)).toBeCloseTo(1, 1)
  })
})
