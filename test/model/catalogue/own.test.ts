import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import { ACCELERATORS, MODELS, parseCatalogue } from '../../../src/model/index.ts'

const refusal = (json: unknown): string => {
  try {
    parseCatalogue(json)
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'INVALID_CATALOGUE') return error.message
    throw error
  }
  return 'accepted'
}

const CARD = {
  id: 'my-card',
  memoryBytes: 48e9,
  memoryBytesPerSecond: 960e9,
  flopsPerSecond: { bf16: 200e12, fp8: 400e12 },
  link: { name: 'PCIe 5 ×16', bytesPerSecond: 64e9, pcie: true },
}

const SHAPE = {
  id: 'my-model',
  hidden: 1024,
  layers: 4,
  vocabulary: 32_000,
  attention: { kind: 'grouped', heads: 16, kvHeads: 4, headDim: 64 },
  feedForward: { layers: 4, width: 4096 },
}

describe('parseCatalogue', () => {
  it('reads what the built-in catalogue holds, as JSON, to the same', () => {
    const json: unknown = JSON.parse(JSON.stringify({ accelerators: ACCELERATORS, models: MODELS }))
    expect(parseCatalogue(json)).toEqual({ accelerators: ACCELERATORS, models: MODELS })
  })

  it('fills in what may be left out', () => {
    const { accelerators, models } = parseCatalogue({ accelerators: [CARD], models: [SHAPE] })
    expect(accelerators).toEqual([{ ...CARD, vendor: 'own', domain: 8, source: 'own catalogue' }])
    expect(models[0]).toMatchObject({ tiedEmbeddings: false, feedForward: { gated: true }, source: 'own catalogue' })
    expect(parseCatalogue({})).toEqual({ accelerators: [], models: [] })
  })

  it('takes a config.json as a model', () => {
    const config = {
      model_type: 'llama',
      hidden_act: 'silu',
      hidden_size: 1024,
      num_hidden_layers: 4,
      num_attention_heads: 16,
      num_key_value_heads: 4,
      intermediate_size: 4096,
      vocab_size: 32_000,
    }
    const { models } = parseCatalogue({ models: [{ id: 'my-model', config }, SHAPE].slice(0, 1) })
    const [plain] = parseCatalogue({ models: [SHAPE] }).models
    expect(models).toEqual([{ ...plain, source: 'config.json' }])
    expect(refusal({ models: [{ id: 'bad', config: { model_type: 'llama' } }] })).toMatch(
      /bad: .*hidden_size is missing/,
    )
  })

  it('tells all problems at once, each with its place', () => {
    const message = refusal({
      accelerators: [{ ...CARD, memoryBytes: 48 }, { ...CARD, id: undefined, tflops: 200 }, 'h100'],
      models: [{ ...SHAPE, feedForward: { layers: 3, width: 4096 } }],
      gpus: [],
    })
    expect(message).toMatch(/gpus is no known key/)
    expect(message).toMatch(/accelerators\[0\]\.memoryBytes is not a number from/)
    expect(message).toMatch(/accelerators\[1\]\.tflops is no known key/)
    expect(message).toMatch(/accelerators\[1\]: id is missing/)
    expect(message).toMatch(/accelerators\[2\] is not an object/)
    expect(message).toMatch(/models\[0\]: feedForward and experts have 3 layers of 4/)
  })

  it.each([
    [{ accelerators: [{ ...CARD, memoryBytesPerSecond: 960 }] }, /memoryBytesPerSecond is not a number/],
    [{ accelerators: [{ ...CARD, flopsPerSecond: { bf16: 200 } }] }, /flopsPerSecond\.bf16 is not a number/],
    [{ accelerators: [{ ...CARD, flopsPerSecond: { fp8: 4e14 } }] }, /needs bf16 or fp16/],
    [{ accelerators: [{ ...CARD, flopsPerSecond: { bf16: 2e14, tf32: 1e14 } }] }, /tf32 is no known key/],
    [{ accelerators: [{ ...CARD, link: undefined }] }, /link is missing/],
    [{ accelerators: [{ ...CARD, link: 64e9 }] }, /link is not an object/],
    [{ accelerators: [{ ...CARD, powerW: -1 }] }, /powerW is not a number/],
    [{ accelerators: [CARD, CARD] }, /accelerators has "my-card" twice/],
    [{ accelerators: {} }, /accelerators is not a list/],
    [{ models: [{ ...SHAPE, attention: { kind: 'linear' } }] }, /attention needs a kind/],
    [{ models: [{ ...SHAPE, attention: { ...SHAPE.attention, kvHeads: 5 } }] }, /16 query heads cannot share 5/],
    [{ models: [{ ...SHAPE, attention: { ...SHAPE.attention, kvRank: 5 } }] }, /kvRank is no known key/],
    [{ models: [{ ...SHAPE, storedAs: 'fp2' }] }, /storedAs "fp2" is none of/],
    [{ models: [{ ...SHAPE, hidden: 1e12 }] }, /hidden is not a whole number/],
    [{ models: [{ ...SHAPE, hidden: Number.NaN }] }, /hidden is not a whole number/],
    [{ models: [{ ...SHAPE, window: { tokens: 128, layers: 9 } }] }, /more layers than 4/],
    [{ models: [{ ...SHAPE, feedForward: undefined }] }, /feedForward or experts is missing/],
    [{ models: [{ ...SHAPE, experts: { layers: 4, all: 8, active: 9, width: 64 } }] }, /9 of 8 experts/],
    [[], /not a JSON object/],
    [null, /not a JSON object/],
  ])('refuses %#', (json, reason) => {
    expect(refusal(json)).toMatch(reason)
  })
})
