import { describe, expect, it } from 'vitest'
import { ACCELERATORS, MODELS, parametersOf } from '../../../src/model/index.ts'
import { PUBLISHED } from './published.ts'

const distinct = (values: readonly string[]): number =>
  new Set(values.map((value) => value.toLowerCase().replace(/[^a-z0-9]/g, ''))).size

describe('the models of the catalogue', () => {
  it.each(MODELS)('$id has the parameters that were published, within 1 %', (shape) => {
    const published = PUBLISHED[shape.id]
    expect(published, `no published total of ${shape.id}`).toBeDefined()
    const { total, active } = parametersOf(shape)
    expect(Math.abs(total / 1e9 / published!.total - 1)).toBeLessThan(0.01)
    if (published?.active === undefined) return
    // Some count the embedding that a token is looked up in, some do not; active counts are published with two digits.
    const input = shape.tiedEmbeddings ? 0 : shape.hidden * shape.vocabulary
    expect(published.active).toBeGreaterThan((0.955 * active) / 1e9)
    expect(published.active).toBeLessThan((1.045 * (active + input)) / 1e9)
  })

  it('are all told apart by letters and digits, and have a source', () => {
    expect(distinct(MODELS.map(({ id }) => id))).toBe(MODELS.length)
    expect(MODELS.filter(({ source }) => source.trim() === '')).toEqual([])
    expect(Object.keys(PUBLISHED).sort()).toEqual(MODELS.map(({ id }) => id).sort())
  })

  it('have layers that add up, and heads that divide', () => {
    for (const { id, layers, linear, window, feedForward, experts, attention } of MODELS) {
      expect(feedForward.layers + (experts?.layers ?? 0), id).toBe(layers)
      expect((linear?.layers ?? 0) + (window?.layers ?? 0), id).toBeLessThanOrEqual(layers)
      expect(experts === undefined || experts.active <= experts.all, id).toBe(true)
      if (attention.kind === 'grouped') expect(attention.heads % attention.kvHeads, id).toBe(0)
    }
  })
})

describe('the weights of a model', () => {
  const shapeOf = (id: string) => MODELS.find((shape) => shape.id === id)!

  // 32 layers of 4096 · (2 · 4096 + 2 · 1024) + 3 · 4096 · 14 336, and 4096 · 128 256 of the output matrix.
  it('Llama-3.1-8B passes 7.505 · 10⁹, which are 15.01 GB in 16 bits', () => {
    const { active } = parametersOf(shapeOf('meta-llama/Llama-3.1-8B'))
    expect(active).toBe(32 * (4096 * (2 * 4096 + 2 * 1024) + 3 * 4096 * 14_336) + 4096 * 128_256)
    expect((2 * active) / 1e9).toBeCloseTo(15.01, 2)
  })

  it('a tied embedding is stored once and read once; two matrices are two thirds of three', () => {
    const shape = shapeOf('Qwen/Qwen3-0.6B')
    const tied = parametersOf(shape)
    const untied = parametersOf({ ...shape, tiedEmbeddings: false })
    expect(untied.total - tied.total).toBe(shape.hidden * shape.vocabulary)
    expect(untied.active).toBe(tied.active)
    const plain = parametersOf({ ...shape, feedForward: { ...shape.feedForward, gated: false } })
    expect(tied.total - plain.total).toBe(shape.layers * shape.hidden * shape.feedForward.width)
  })

  it('only the active experts are passed, and all are stored', () => {
    const shape = shapeOf('deepseek-ai/DeepSeek-V3')
    const one = 58 * 3 * 7168 * 2048
    const fewer = parametersOf({ ...shape, experts: { ...shape.experts!, active: 7 } })
    const smaller = parametersOf({ ...shape, experts: { ...shape.experts!, all: 255 } })
    expect(parametersOf(shape).active - fewer.active).toBe(one)
    expect(parametersOf(shape).total - fewer.total).toBe(0)
    // A router has a column for each expert.
    expect(parametersOf(shape).total - smaller.total).toBe(one + 58 * 7168)
  })
})

describe('the accelerators of the catalogue', () => {
  it('are told apart by letters and digits, and have a source', () => {
    expect(distinct(ACCELERATORS.map(({ id }) => id))).toBe(ACCELERATORS.length)
    expect(ACCELERATORS.filter(({ source }) => source.trim() === '')).toEqual([])
  })

  it('have figures in bytes and FLOP/s, of a plausible size', () => {
    for (const { id, memoryBytes, memoryBytesPerSecond, flopsPerSecond, link, domain, powerW } of ACCELERATORS) {
      expect(memoryBytes, id).toBeGreaterThan(15e9)
      expect(memoryBytes, id).toBeLessThan(400e9)
      expect(memoryBytesPerSecond, id).toBeGreaterThan(200e9)
      expect(memoryBytesPerSecond, id).toBeLessThan(10e12)
      expect(link.bytesPerSecond, id).toBeLessThan(memoryBytesPerSecond)
      expect(Number.isInteger(domain), id).toBe(true)
      expect(powerW ?? 100, id).toBeGreaterThan(50)
      for (const rate of Object.values(flopsPerSecond)) {
        expect(rate, id).toBeGreaterThan(50e12)
        expect(rate, id).toBeLessThan(20e15)
      }
    }
  })

  // Twice as fast in half the bits; a figure with 2:4 sparsity beside dense ones would stand out as four times.
  it('have dense rates: 8 bits at most twice 16 bits, 4 bits at most four times', () => {
    for (const { id, flopsPerSecond } of ACCELERATORS) {
      const { bf16 = 0, fp16, fp8, int8, fp4 } = flopsPerSecond
      expect(bf16, id).toBeGreaterThan(0)
      expect(fp16 ?? bf16, id).toBe(bf16)
      expect((fp8 ?? 0) / bf16, id).toBeLessThanOrEqual(2.03)
      // The RTX 4090 adds integers in full, and floats at half that rate.
      expect((int8 ?? 0) / bf16, id).toBeLessThanOrEqual(id === 'rtx-4090' ? 4 : 2.03)
      // Blackwell Ultra spends on 4 bits what it saves on 64.
      expect((fp4 ?? 0) / bf16, id).toBeLessThanOrEqual(id.endsWith('b300') || id.startsWith('b300') ? 6.3 : 4.01)
    }
  })

  // Balance of arithmetic and memory, in FLOP a byte: what the public tables of step times show too.
  it.each([
    ['h100-sxm', 989e12 / 3350e9],
    ['h200-sxm', 989e12 / 4800e9],
    ['mi300x', 1307.4e12 / 5300e9],
    ['l4', 121e12 / 300e9],
    ['tpu-v6e', 918e12 / 1638e9],
  ])('%s has the ridge of its sheet', (id, ridge) => {
    const { flopsPerSecond, memoryBytesPerSecond } = ACCELERATORS.find((gpu) => gpu.id === id)!
    expect(flopsPerSecond.bf16! / memoryBytesPerSecond).toBeCloseTo(ridge, 6)
  })
})
