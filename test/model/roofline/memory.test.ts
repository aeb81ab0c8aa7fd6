import { describe, expect, it } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import {
  type ConfigurationOptions,
  createConfiguration,
  type Memory,
  memoryOf,
} from '../../../src/model/roofline/index.ts'

const lengths = { inputTokens: 1024, outputTokens: 256 }
const memory = (
  model: string,
  gpu: string,
  asked: Omit<ConfigurationOptions, 'model' | 'gpu'> = {},
  of = lengths,
): Memory => memoryOf(createConfiguration({ model: findModel(model), gpu: findAccelerator(gpu), ...asked }), of)

describe('memory', () => {
  it('holds all weights, those that a step does not read too', () => {
    expect(memory('Llama-3.1-8B', 'h100-sxm').weightBytesPerGpu / 1e9).toBeCloseTo(16.06, 1)
    expect(memory('Qwen2.5-7B-Instruct', 'h100-sxm', { tp: 4 }).weightBytesPerGpu / 1e9).toBeCloseTo(3.81, 1)
    expect(memory('DeepSeek-V3', 'h200-sxm', { tp: 8 }).weightBytesPerGpu / 1e9).toBeCloseTo(83.9, -1)
    expect(memory('gpt-oss-120b', 'h100-sxm').weightBytesPerGpu / 1e9).toBeCloseTo(65, -1)
  })

  it('is shared out by pipelines, of which the fullest stage counts', () => {
    const whole = memory('Llama-3.1-70B', 'b200-sxm', { precision: 'bf16' }).weightBytesPerGpu
    const thirds = memory('Llama-3.1-70B', 'b200-sxm', { precision: 'bf16', pp: 3 }).weightBytesPerGpu
    // 27 of 80 layers, and an end.
    expect(thirds / whole).toBeGreaterThan(27 / 80)
    expect(thirds / whole).toBeLessThan(27 / 80 + 0.01)
  })

  it('holds as many tokens as are left room for, so many on each copy', () => {
    const { kvCapacityTokens, maxConcurrency } = memory('Llama-3.1-8B', 'h100-sxm')
    // 0.9 · 85.9 GB less 16.1 of weights and some 6 of the engine, at 131 072 bytes a token.
    expect(kvCapacityTokens).toBeGreaterThan(400_000)
    expect(kvCapacityTokens).toBeLessThan(450_000)
    expect(maxConcurrency).toBe(Math.floor(kvCapacityTokens / (1024 + 128)))
    expect(memory('Llama-3.1-8B', 'h100-sxm', { dp: 2 }).kvCapacityTokens).toBe(2 * kvCapacityTokens)
  })

  it('holds twice the tokens of a cache in half the bits, and no more by ranks beyond the KV heads', () => {
    const { kvCapacityTokens } = memory('Llama-3.1-8B', 'h100-sxm')
    const half = memory('Llama-3.1-8B', 'h100-sxm', { kvPrecision: 'fp8' }).kvCapacityTokens
    expect(Math.abs(half - 2 * kvCapacityTokens)).toBeLessThanOrEqual(1)
    const [eight, sixteen] = [8, 16].map((tp) => memory('Llama-3.1-70B', 'h200-sxm', { tp }).kvCapacityTokens)
    expect((sixteen ?? 0) / (eight ?? 1)).toBeLessThan(1.3)
  })

  it('keeps no more of a windowed layer than its window', () => {
    const long = { inputTokens: 32_000, outputTokens: 256 }
    const { kvCapacityTokens, maxConcurrency } = memory('gpt-oss-120b', 'b200-sxm', {}, long)
    expect(maxConcurrency).toBeGreaterThan(1.8 * Math.floor(kvCapacityTokens / 32_128))
  })

  // The start-up messages of vLLM on H100, in GiB: llm-d-planner, docs/empirical-vllm-memory-results.md (Apache-2.0).
  it.each([
    ['Llama-3.1-8B', 1, 'bf16', 14.99, 51.38],
    ['Llama-3.1-70B', 2, 'fp8', 33.88, 32.0],
    ['Qwen3-0.6B', 1, 'bf16', 1.12, 64.45],
    ['Qwen3-32B', 2, 'bf16', 30.59, 34.49],
  ])('of %s over %i H100 is split as vLLM splits it', (model, tp, precision, weights, cache) => {
    const { weightBytesPerGpu, kvCapacityTokens, kvBytesPerToken } = memory(model, 'h100-sxm', { tp, precision })
    expect(Math.abs(weightBytesPerGpu / 2 ** 30 / weights - 1)).toBeLessThan(0.05)
    const perGpu = (kvCapacityTokens * kvBytesPerToken) / tp / 2 ** 30
    expect(Math.abs(perGpu / cache - 1)).toBeLessThan(0.1)
  })

  it.each<[string, string, Omit<ConfigurationOptions, 'model' | 'gpu'>, typeof lengths]>([
    ['Llama-3.1-70B', 'h100-sxm', { precision: 'bf16' }, lengths],
    ['Mixtral-8x7B-v0.1', 'h100-sxm', { precision: 'bf16' }, lengths],
    ['Llama-3.1-8B', 'l4', {}, { inputTokens: 120_000, outputTokens: 1000 }],
  ])('of %s on %s does not suffice, and the arithmetic says why', (model, gpu, asked, of) => {
    expect(() => memory(model, gpu, asked, of)).toThrow(
      expect.objectContaining({ code: 'DOES_NOT_FIT', message: expect.stringMatching(/weights take [\d.]+ GB/) }),
    )
  })

  it('does not suffice, and names the parts of what the engine takes', () => {
    const of = (maxNumSeqs: number): string => {
      try {
        memory('Llama-3.1-8B', 'l4', { maxNumSeqs }, { inputTokens: 120_000, outputTokens: 1000 })
      } catch (error) {
        return String(error)
      }
      return 'fits'
    }
    expect(of(256)).toMatch(/kernels and graphs of the engine 0\.6 GB, the sampler's logits of 256 sequences 1\.3 GB/)
    expect(of(2)).toMatch(/logits of 2 sequences 0\.0 GB/)
  })

  it('suffices with one GPU more, fewer bits or a shorter request', () => {
    expect(memory('Llama-3.1-70B', 'h100-sxm', { precision: 'bf16', tp: 4 }).maxConcurrency).toBeGreaterThan(0)
    expect(memory('Mixtral-8x7B-v0.1', 'h100-sxm', { precision: 'fp8' }).maxConcurrency).toBeGreaterThan(0)
    expect(memory('Llama-3.1-8B', 'l4').maxConcurrency).toBeGreaterThan(0)
  })
})
