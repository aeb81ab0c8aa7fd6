import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import {
  type Catalogue,
  createConfiguration,
  findAccelerator,
  findModel,
  modelOfConfig,
  parseCatalogue,
  predict,
} from '../../../src/model/index.ts'

/** Values that a file may hold by mistake. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, '', '8', [], {}, [1], 0, -1, 0.5, 1e-300, 1e300, Number.NaN),
  fc.constantFrom<unknown>(Number.POSITIVE_INFINITY, 1, 2, 3, 7, 64, 4096, 1e6, 1e9, 1e12),
  fc.jsonValue(),
)

/** Every place in a JSON value, as keys from its root. */
function placesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))]
}

function put(value: unknown, path: readonly string[], damage: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return damage
  if (Array.isArray(value)) return value.map((inner, i) => (String(i) === key ? put(inner, rest, damage) : inner))
  const object = value as Readonly<Record<string, unknown>>
  return { ...object, [key]: put(object[key], rest, damage) }
}

/** The same file with up to three places of it damaged. */
const damaged = (file: unknown): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.constantFrom(...placesOf(file)), anything), { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce((now, [path, value]) => (reaches(now, path) ? put(now, path, value) : now), file))

const reaches = (value: unknown, path: readonly string[]): boolean =>
  path.length === 0 ||
  (typeof value === 'object' && value !== null && reaches((value as Record<string, unknown>)[path[0]!], path.slice(1)))

/** Every number of an answer; a null or an undefined counts as none. */
function numbersOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value]
  if (value === null || value === undefined) return [Number.NaN]
  return typeof value === 'object' ? Object.values(value).flatMap(numbersOf) : []
}

type Outcome = 'predicted' | 'refused' | 'not finite' | 'without a fitting code'

const CODES = ['INVALID_CATALOGUE', 'UNKNOWN_MODEL', 'UNKNOWN_GPU', 'IMPOSSIBLE_CONFIGURATION', 'DOES_NOT_FIT']

/** Predicts on a card of a file that may be broken; what is no refusal of ours is thrown. */
function outcomeOf(own: () => Catalogue, modelName: string, gpuName: string): Outcome {
  try {
    const catalogue = own()
    const [model, gpu] = [findModel(modelName, catalogue), findAccelerator(gpuName, catalogue)]
    const lengths = { inputTokens: 512, outputTokens: 128 }
    const answer = predict(createConfiguration({ model, gpu }), { lengths, loads: [1, 7, 200] })
    return numbersOf(answer).every(Number.isFinite) ? 'predicted' : 'not finite'
  } catch (error) {
    if (!(error instanceof TwospeedError)) throw error
    return CODES.includes(error.code) ? 'refused' : 'without a fitting code'
  }
}

/** Runs a property and sees that both ends of it occur. */
function expectAnswers<T>(files: fc.Arbitrary<T>, outcome: (file: T) => Outcome): void {
  const counts = { predicted: 0, refused: 0 }
  fc.assert(
    fc.property(files, (file) => {
      const ended = outcome(file)
      if (ended !== 'predicted' && ended !== 'refused') throw new Error(ended)
      counts[ended]++
    }),
    { numRuns: 1500, seed: 4 },
  )
  expect(counts.predicted).toBeGreaterThan(30)
  expect(counts.refused).toBeGreaterThan(300)
}

const MODELS_TRIED = [
  'llama-3.1-8b',
  'gpt-oss-20b',
  'DeepSeek-V2-Lite',
  'Qwen3-Next-80B-A3B',
  'gemma-3-12b',
  'opt-6.7b',
]

const CONFIG = {
  model_type: 'qwen3_next',
  hidden_act: 'silu',
  hidden_size: 2048,
  num_hidden_layers: 8,
  num_attention_heads: 16,
  num_key_value_heads: 2,
  head_dim: 256,
  full_attention_interval: 4,
  linear_num_key_heads: 16,
  linear_num_value_heads: 32,
  linear_key_head_dim: 128,
  linear_value_head_dim: 128,
  num_experts: 64,
  num_experts_per_tok: 4,
  moe_intermediate_size: 512,
  shared_expert_intermediate_size: 512,
  mlp_only_layers: [0],
  intermediate_size: 5632,
  sliding_window: 4096,
  layer_types: ['linear_attention', 'linear_attention', 'sliding_attention', 'full_attention'].flatMap((a) => [a, a]),
  quantization_config: { quant_method: 'compressed-tensors', config_groups: { a: { weights: { num_bits: 4 } } } },
  tie_word_embeddings: false,
  vocab_size: 32_000,
  max_position_embeddings: 32_768,
}

describe('a damaged file', () => {
  const file = {
    accelerators: [{ ...findAccelerator('h200'), id: 'card' }],
    models: MODELS_TRIED.map((name, i) => ({ ...findModel(name), id: `model-${i}` })),
  }

  it('of a user’s own catalogue is refused by a code, or predicts finite numbers', () => {
    expectAnswers(fc.tuple(damaged(file), fc.nat(MODELS_TRIED.length - 1)), ([json, i]) =>
      outcomeOf(() => parseCatalogue(json), `model-${i}`, 'card'),
    )
  })

  it('of a model is refused by a code, or predicts finite numbers', () => {
    expectAnswers(damaged(CONFIG), (json) =>
      outcomeOf(() => ({ accelerators: [], models: [modelOfConfig(json, 'model')] }), 'model', 'h200'),
    )
  })

  it('that is whole predicts', () => {
    const { models } = parseCatalogue(file)
    for (const model of [...models, modelOfConfig(CONFIG, 'model')]) {
      const configuration = createConfiguration({ model, gpu: findAccelerator('gb300') })
      const { frontier } = predict(configuration, { lengths: { inputTokens: 512, outputTokens: 128 } })
      expect(frontier.length).toBeGreaterThan(3)
    }
  })
})
