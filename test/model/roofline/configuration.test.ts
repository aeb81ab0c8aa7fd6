import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { type ConfigurationOptions, createConfiguration } from '../../../src/model/roofline/index.ts'
import { weightFormats } from '../../../src/model/roofline/precision.ts'

type Asked = Omit<ConfigurationOptions, 'model' | 'gpu'>

const make = (model: string, gpu: string, asked: Asked = {}) =>
  createConfiguration({ model: findModel(model), gpu: findAccelerator(gpu), ...asked })

function refusal(model: string, gpu: string, asked: Asked): string {
  try {
    make(model, gpu, asked)
  } catch (error) {
    if (error instanceof TwospeedError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'made'
}

describe('a configuration', () => {
  it('is one GPU in the published format where nothing else is asked for', () => {
    const made = make('Llama-3.1-8B', 'h100-sxm')
    expect(made.parallelism).toEqual({ tp: 1, pp: 1, ep: 1, dp: 1 })
    expect(made).toMatchObject({ precision: 'bf16', kvPrecision: 'bf16', maxNumSeqs: 1024, memoryShare: 0.9 })
    expect(make('DeepSeek-V3', 'h200-sxm').precision).toBe('fp8')
    expect(make('DeepSeek-V3', 'a100').precision).toBe('bf16')
    expect(make('gpt-oss-120b', 'a100').precision).toBe('mxfp4')
  })

  it.each<[string, string, Asked, RegExp, Asked]>([
    ['Qwen2.5-7B-Instruct', 'h100-sxm', { tp: 8 }, /28 heads do not divide by tp 8/, { tp: 4 }],
    ['Llama-3.1-70B', 'h100-sxm', { tp: 3 }, /64 heads .* 8 KV heads/, { tp: 16 }],
    ['Llama-3.1-70B', 'h100-sxm', { ep: 2 }, /no experts/, { tp: 2 }],
    ['DeepSeek-V3', 'h200-sxm', { tp: 8, ep: 16 }, /8 GPUs of tp·dp do not divide by ep 16/, { tp: 8, dp: 2, ep: 16 }],
    ['Llama-3.1-8B', 'a100', { precision: 'fp8' }, /no arithmetic in fp8/, { precision: 'w8a16' }],
    ['Llama-3.1-8B', 'h100-sxm', { precision: 'nvfp4' }, /no arithmetic in nvfp4/, { precision: 'int4' }],
    ['Llama-3.1-8B', 'h100-sxm', { precision: 'fp3' }, /no precision is called fp3/, { precision: 'FP8' }],
    ['Llama-3.1-8B', 'h100-sxm', { kvPrecision: 'fp4' }, /no precision fp4/, { kvPrecision: 'fp8' }],
    ['Llama-3.1-8B', 'h100-sxm', { pp: 33 }, /more than the 32 layers/, { pp: 32 }],
    ['Llama-3.1-8B', 'h100-sxm', { tp: -1 }, /tp is -1/, { tp: 1 }],
    ['Llama-3.1-8B', 'h100-sxm', { dp: 0.5 }, /dp is 0.5/, { dp: 2 }],
    ['Llama-3.1-8B', 'h100-sxm', { tp: Number.NaN }, /tp is NaN/, { tp: 2 }],
    ['Llama-3.1-8B', 'h100-sxm', { memoryShare: 1.5 }, /share of memory is 1.5/, { memoryShare: 0.95 }],
    ['Llama-3.1-8B', 'h100-sxm', { maxNumSeqs: 0 }, /maxNumSeqs is 0/, { maxNumSeqs: 1 }],
  ])('of %s on %s is refused with %o, and made without the fault', (model, gpu, asked, why, right) => {
    expect(refusal(model, gpu, asked)).toMatch(/^IMPOSSIBLE_CONFIGURATION: /)
    expect(refusal(model, gpu, asked)).toMatch(why)
    expect(refusal(model, gpu, right)).toBe('made')
  })

  it('is refused with a hint that follows its faults', () => {
    expect(() => make('Qwen2.5-7B-Instruct', 'h100-sxm', { tp: 8 })).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^tp may be 1, 2, 4, 7, 14, 28\./) }),
    )
    expect(() => make('DeepSeek-V3', 'h800', { tp: 1, dp: 144, ep: 144 })).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(/: 128 or 256 does\. Redundant experts cannot be said yet/),
      }),
    )
    expect(() => make('Llama-3.1-8B', 'a100', { precision: 'fp8' })).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^Weights may also .* w8a16/) }),
    )
  })

  it('is refused with all its faults at once', () => {
    const message = refusal('Qwen2.5-7B-Instruct', 'a100', { tp: 8, precision: 'fp4', kvPrecision: 'x' })
    for (const why of [/28 heads/, /no arithmetic in fp4/, /no precision x/]) expect(message).toMatch(why)
  })
})

describe('a precision', () => {
  it('of a model published in mxfp4 is that, where fp4 is asked for, on accelerators without it too', () => {
    expect(make('gpt-oss-120b', 'h100-sxm', { precision: 'nvfp4' }).precision).toBe('mxfp4')
    expect(make('gpt-oss-120b', 'b200-sxm', { precision: 'fp4' }).precision).toBe('mxfp4')
    expect(refusal('DeepSeek-R1', 'h100-sxm', { precision: 'fp4', tp: 8 })).toMatch(/no arithmetic in fp4/)
  })

  it('of 4 bits leaves all but the routed experts of a mixture in 16, and no layer of a dense model', () => {
    const gpu = findAccelerator('b200-sxm')
    const mixture = weightFormats('fp4', findModel('DeepSeek-R1'), gpu)
    expect(mixture.experts).toEqual({ bytes: 0.5625, compute: 'fp4' })
    expect(mixture.layers).toEqual({ bytes: 2, compute: 'bf16' })
    const dense = weightFormats('fp4', findModel('Llama-3.1-70B'), gpu)
    expect(dense.layers).toEqual({ bytes: 0.5625, compute: 'fp4' })
    expect(dense.head).toEqual({ bytes: 2, compute: 'bf16' })
  })

  it('that only keeps weights short multiplies in 16 bits', () => {
    const gpu = findAccelerator('h100-sxm')
    for (const name of ['int4', 'w8a16', 'mxfp4']) {
      expect(weightFormats(name, findModel('Llama-3.1-8B'), gpu).layers.compute).toBe('bf16')
    }
  })
})
