import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import { ACCELERATORS, findAccelerator, findModel, MODELS, parseCatalogue } from '../../../src/model/index.ts'

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof TwospeedError) return `${error.code} ${error.message}`
    throw error
  }
  return 'found'
}

describe('findAccelerator', () => {
  it.each(ACCELERATORS)('finds $id by its own name, however written', ({ id }) => {
    expect(findAccelerator(id).id).toBe(id)
    expect(findAccelerator(id.toUpperCase().replaceAll('-', '_')).id).toBe(id)
    expect(findAccelerator(id.replaceAll('-', ' ')).id).toBe(id)
  })

  it.each([
    ['h100', 'h100-sxm'],
    ['H100 SXM5', 'h100-sxm'],
    ['NVIDIA H100 80GB HBM3', 'h100-sxm'],
    ['NVIDIA H100 PCIe', 'h100-pcie'],
    ['h100-80gb', 'h100-sxm'],
    ['b200_sxm', 'b200-sxm'],
    ['a100', 'a100-sxm-80'],
    ['a100-40gb', 'a100-sxm-40'],
    ['NVIDIA A100-SXM4-80GB', 'a100-sxm-80'],
    ['NVIDIA A100 80GB PCIe', 'a100-pcie-80'],
    ['NVIDIA H200', 'h200-sxm'],
    ['GB200 NVL72', 'gb200'],
    ['NVIDIA GH200 480GB', 'gh200'],
    ['NVIDIA GeForce RTX 4090', 'rtx-4090'],
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', 'rtx-pro-6000-server'],
    ['AMD Instinct MI300X OAM', 'mi300x'],
    ['Habana Gaudi2', 'gaudi2'],
    ['Cloud TPU v6e', 'tpu-v6e'],
    ['L4', 'l4'],
    ['l40s', 'l40s'],
  ])('%s is %s', (name, id) => {
    expect(findAccelerator(name).id).toBe(id)
  })

  it.each(['H100 NVL', 'l40', 'a100 24gb', 'rtx', 'tpu', 'h10', '', 'h100; rm -rf'])('%j is none', (name) => {
    expect(refusal(() => findAccelerator(name))).toMatch(/^UNKNOWN_GPU /)
  })

  it('names the nearest of one that it does not have', () => {
    expect(refusal(() => findAccelerator('h100-nvl'))).toMatch(/h100-sxm, h100-pcie/)
    expect(refusal(() => findAccelerator('mi300'))).toMatch(/nearest: mi300x/)
    expect(refusal(() => findAccelerator('b20'))).toMatch(/nearest: b200-sxm/)
    expect(refusal(() => findAccelerator('h101'))).toMatch(/nearest: h100-sxm, h100-pcie/)
  })
})

describe('findModel', () => {
  it.each(MODELS)('finds $id by its own name, with or without who published it', (shape) => {
    expect(findModel(shape.id)).toBe(shape)
    expect(findModel(shape.id.slice(shape.id.indexOf('/') + 1).toUpperCase())).toBe(shape)
    expect(findModel(shape.id.replaceAll('-', '_').replaceAll('.', ' '))).toBe(shape)
  })

  it.each([
    ['Llama-3.1-8B-Instruct', 'meta-llama/Llama-3.1-8B', undefined],
    ['meta-llama/Meta-Llama-3.1-8B-Instruct', 'meta-llama/Llama-3.1-8B', undefined],
    ['llama3.1:8b', 'meta-llama/Llama-3.1-8B', undefined],
    ['Llama 3.3 70B', 'meta-llama/Llama-3.3-70B-Instruct', undefined],
    ['llama2-70b', 'meta-llama/Llama-2-70b-hf', undefined],
    ['Meta-Llama-3-8B', 'meta-llama/Meta-Llama-3-8B', undefined],
    ['nvidia/Llama-3.1-8B-Instruct-FP8', 'meta-llama/Llama-3.1-8B', 'fp8'],
    ['RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic', 'meta-llama/Llama-3.3-70B-Instruct', 'fp8'],
    ['nvidia/DeepSeek-R1-NVFP4', 'deepseek-ai/DeepSeek-R1', 'fp4'],
    ['amd/DeepSeek-R1-MXFP4', 'deepseek-ai/DeepSeek-R1', 'mxfp4'],
    ['deepseek-ai/DeepSeek-R1-0528', 'deepseek-ai/DeepSeek-R1', 'fp8'],
    ['Qwen/Qwen3-235B-A22B-FP8', 'Qwen/Qwen3-235B-A22B', 'fp8'],
    ['Qwen/Qwen3-235B-A22B-Instruct-2507', 'Qwen/Qwen3-235B-A22B', undefined],
    ['Qwen2.5-72B-Instruct-AWQ', 'Qwen/Qwen2.5-72B', 'int4'],
    ['gpt-oss-120b', 'openai/gpt-oss-120b', 'mxfp4'],
    ['gpt-oss-120b-bf16', 'openai/gpt-oss-120b', undefined],
    ['moonshotai/Kimi-K2.5', 'moonshotai/Kimi-K2.5', 'int4'],
  ])('%s is %s, kept as %s', (name, id, storedAs) => {
    const shape = findModel(name)
    expect(shape.id).toBe(id)
    expect(shape.storedAs).toBe(storedAs)
  })

  it.each([
    ['Llama 4 Maverick', 'meta-llama/Llama-4-Maverick-17B-128E-Instruct'],
    ['llama-4-scout', 'meta-llama/Llama-4-Scout-17B-16E-Instruct'],
    ['Qwen3-Next', 'Qwen/Qwen3-Next-80B-A3B-Instruct'],
    ['bloom-176b', 'bigscience/bloom'],
    ['DeepSeek-V3-671B', 'deepseek-ai/DeepSeek-V3'],
  ])('%s can only be %s', (name, id) => {
    expect(findModel(name).id).toBe(id)
  })

  it.each(['Llama 4', 'gemma-3', 'DeepSeek-V2', 'bloom-7b', 'DeepSeek-V3-236B', 'Llama-4-Maverick-17B-16E', '70b'])(
    '%s could be several, or none',
    (name) => {
      expect(refusal(() => findModel(name))).toMatch(/^UNKNOWN_MODEL /)
    },
  )

  it.each(['Llama-3.1-80B', 'DeepSeek-V2', 'llama', 'Qwen3', '', 'instruct', 'fp8', '/'])('%j is none', (name) => {
    expect(refusal(() => findModel(name))).toMatch(/^UNKNOWN_MODEL /)
  })

  it('names the nearest of one that it does not have', () => {
    expect(refusal(() => findModel('meta-llama/Llama-3.1-80B'))).toMatch(/nearest: meta-llama\/Llama-3.1-8B/)
    expect(refusal(() => findModel('mixtral'))).toMatch(/nearest: mistralai\/Mixtral-8x7B-v0.1/)
  })

  it('prefers what the user describes', () => {
    const shape = { ...findModel('llama-3.1-8b'), layers: 16, feedForward: { layers: 16, width: 14_336, gated: true } }
    const own = parseCatalogue({ models: [shape], accelerators: [{ ...findAccelerator('h100'), memoryBytes: 94e9 }] })
    expect(findModel('meta-llama/Llama-3.1-8B', own).layers).toBe(16)
    expect(findModel('meta-llama/Llama-3.1-70B', own).layers).toBe(80)
    expect(findAccelerator('H100_SXM', own).memoryBytes).toBe(94e9)
    expect(findAccelerator('h200', own).id).toBe('h200-sxm')
  })
})
