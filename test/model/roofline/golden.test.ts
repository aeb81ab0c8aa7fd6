import { describe, expect, it } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { IDEAL } from '../../../src/model/roofline/constants.ts'
import { expertsTouched } from '../../../src/model/roofline/experts.ts'
import {
  createConfiguration,
  createStepModel,
  memoryOf,
  ridgeTokens,
  type StepPart,
} from '../../../src/model/roofline/index.ts'

const configure = (
  model: string,
  gpu: string,
  precision: string,
  more: Partial<Parameters<typeof createConfiguration>[0]> = {},
) => createConfiguration({ model: findModel(model), gpu: findAccelerator(gpu), precision, ...more })

const lengths = { inputTokens: 1024, outputTokens: 256 }
const oneSequence = { sequences: 1, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0 }
const sum = (parts: readonly StepPart[], of: (part: StepPart) => number): number =>
  parts.reduce((total, part) => total + of(part), 0)
const partsNamed = (parts: readonly StepPart[], ...names: string[]) => parts.filter(({ name }) => names.includes(name))
const weights = (parts: readonly StepPart[]) => parts.filter(({ binds }) => binds === 'weights')

// Arithmetic on datasheets, no measurement: what a step must read and multiply, at the full rate.
describe('the arithmetic of a step, at the rates of the datasheet', () => {
  const llama = createStepModel(configure('Llama-3.1-8B', 'h100-sxm', 'bf16'), IDEAL)

  it('reads 15.01 GB of Llama-3.1-8B in bf16, which takes 4.48 ms on an H100 and lets one user have 223 tokens a second', () => {
    const parts = weights(llama.parts(oneSequence))
    expect(sum(parts, ({ bytes }) => bytes) / 1e9).toBeCloseTo(15.01, 2)
    expect(1000 * sum(parts, ({ seconds }) => seconds)).toBeCloseTo(4.48, 2)
    expect(1 / llama.stepSeconds(oneSequence)).toBeCloseTo(223, 0)
  })

  it('reads 8.59 GB of cache for 64 sequences of 1 024 tokens, 2.56 ms more', () => {
    const [attention] = partsNamed(llama.parts({ ...oneSequence, sequences: 64, contextTokens: 1024 }), 'attention')
    expect((attention?.bytes ?? 0) / 1e9).toBeCloseTo(8.59, 2)
    expect(1000 * (attention?.seconds ?? 0)).toBeCloseTo(2.56, 2)
    expect(attention?.binds).toBe('kv')
  })

  it('reads Llama-3.1-70B in fp8 on an H200 in 14.7 ms, its output matrix in 16 bits', () => {
    const model = createStepModel(configure('Llama-3.1-70B', 'h200-sxm', 'fp8'), IDEAL)
    // 68.45e9 in the layers at one byte, 1.05e9 in the output matrix at two.
    expect(1000 * model.stepSeconds(oneSequence)).toBeCloseTo((68.45 + 2 * 1.0507) / 4.8, 1)
  })

  it('multiplies a prompt of 8 192 tokens by Llama-3.1-70B on 8 H100 in no less than 152.9 ms', () => {
    const model = createStepModel(configure('Llama-3.1-70B', 'h100-sxm', 'bf16', { tp: 8 }), IDEAL)
    const parts = model.parts({ sequences: 0, contextTokens: 0, prefillTokens: 8192, prefillContextTokens: 4096 })
    const arithmetic = partsNamed(parts, 'projections', 'feedForward', 'promptAttention')
    expect(1000 * sum(arithmetic, ({ seconds }) => seconds)).toBeCloseTo(152.9, 0)
    expect(8 * sum(arithmetic, ({ flops }) => flops)).toBeCloseTo(1.2095e15, -12)
  })

  it('sends 2(g − 1)/g of two vectors a layer and token round a ring', () => {
    const model = createStepModel(configure('Llama-3.1-70B', 'h100-sxm', 'bf16', { tp: 8 }), IDEAL)
    const [ring] = partsNamed(model.parts({ ...oneSequence, sequences: 32 }), 'allReduce')
    expect(ring?.bytes).toBeCloseTo(2 * 80 * ((2 * 7) / 8) * 32 * 8192 * 2, 0)
  })
})

describe('experts', () => {
  it('touched by 8 tokens of DeepSeek-V3 are 57 of 256, and never more than there are', () => {
    const { experts } = findModel('DeepSeek-V3')
    expect(experts).toBeDefined()
    if (experts === undefined) return
    expect(Math.round(expertsTouched(experts, 8))).toBe(57)
    expect(expertsTouched(experts, 1)).toBeCloseTo(8, 9)
    expect(expertsTouched(experts, 1e6)).toBeCloseTo(256, 6)
  })

  it('are fewer where a router has favourites, and as many where it has the mildest', () => {
    const experts = { all: 256, active: 8 }
    expect(expertsTouched(experts, 32, 2)).toBeLessThan(expertsTouched(experts, 32))
    expect(expertsTouched(experts, 32, 1e9)).toBeCloseTo(expertsTouched(experts, 32), 4)
  })

  it('that a step of one token reads are 8 of 256, of 8 GPUs each its share', () => {
    const experts = (ep: number): number => {
      const model = createStepModel(configure('DeepSeek-V3', 'h200-sxm', 'fp8', { tp: 8, ep }), IDEAL)
      return partsNamed(model.parts(oneSequence), 'experts')[0]?.bytes ?? 0
    }
    // 58 layers: 8 routed of 3 · 7168 · 2048 each, one shared as wide over 8 ranks, a router of 256 outputs on each.
    const routed = (58 * 8 * 3 * 7168 * 2048) / 8
    const beside = 58 * ((3 * 7168 * 2048) / 8 + 7168 * 256)
    expect(experts(1)).toBeCloseTo(routed + beside, -3)
    expect(experts(8)).toBeCloseTo(experts(1), -3)
  })
})

describe('the cache', () => {
  it('of latent attention takes 68.6 KiB a token, of grouped heads 128 KiB', () => {
    const kv = (model: string, precision: string, more = {}): number =>
      memoryOf(configure(model, 'h200-sxm', precision, more), lengths).kvBytesPerToken
    expect(kv('DeepSeek-V3', 'fp8', { tp: 8 })).toBe(70_272)
    expect(kv('DeepSeek-V3', 'fp8', { tp: 8, kvPrecision: 'fp8' })).toBe(35_136)
    expect(kv('Llama-3.1-8B', 'bf16')).toBe(131_072)
    expect(kv('Qwen2.5-7B-Instruct', 'bf16', { tp: 4 })).toBe(57_344)
  })
})

describe('the ridge', () => {
  it.each([
    ['h100-sxm', 'bf16', 295],
    ['h100-sxm', 'fp8', 295],
    ['h200-sxm', 'bf16', 206],
    ['b200-sxm', 'bf16', 292],
    ['mi300x', 'bf16', 247],
    ['l4', 'w8a16', 202],
  ])('of %s in %s is about %i tokens', (gpu, precision, tokens) => {
    expect(Math.abs(ridgeTokens(configure('Llama-3.1-8B', gpu, precision)) / tokens - 1)).toBeLessThan(0.01)
  })

  it('of a mixture lies farther out by total over active weights', () => {
    const mixture = ridgeTokens(configure('Mixtral-8x7B-v0.1', 'h200-sxm', 'fp8'))
    expect(mixture / ridgeTokens(configure('Llama-3.1-8B', 'h200-sxm', 'fp8'))).toBeCloseTo(46.6 / 12.8, 0)
  })
})
