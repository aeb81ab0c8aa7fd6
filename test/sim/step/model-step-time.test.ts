import { expect, test } from 'vitest'
import { createConfiguration, createStepModel, findAccelerator, findModel } from '../../../src/model/index.ts'
import { modelStepTime } from '../../../src/sim/step/model-step-time.ts'

type Layout = Parameters<typeof createConfiguration>[0]

const modelOf = (model: string, gpu: string, layout: Partial<Layout> = {}) =>
  createStepModel(createConfiguration({ model: findModel(model), gpu: findAccelerator(gpu), ...layout }))

/** Of every kind of attention: grouped, with a window, latent, sparse, and with linear layers; and of every layout. */
const SETUPS = [
  modelOf('Llama-3.1-8B', 'h100'),
  modelOf('Llama-3.1-70B', 'h200', { tp: 4 }),
  modelOf('gpt-oss-120b', 'h100', { tp: 2 }),
  modelOf('gemma-3-27b', 'h100'),
  modelOf('DeepSeek-V3', 'h200', { precision: 'fp8', tp: 8, ep: 8 }),
  modelOf('DeepSeek-V3.2', 'b200', { precision: 'fp8', dp: 8, ep: 8 }),
  modelOf('Qwen3-Next-80B', 'h200', { tp: 4 }),
  modelOf('Llama-3.1-70B', 'h100', { tp: 4, pp: 2 }),
]

const decodes = (decoding: number, decodeKvTokens: number) => ({
  decoding,
  decodeKvTokens,
  completing: 0,
  completingKvTokens: 0,
  prefillTokens: 0,
  prefillContextTokens: 0,
})

const named = SETUPS.map((model) => [model.configuration.model.id, model] as const)

test.each(named)('a step of %s is that of its roofline within 0.02 %%', (_, model) => {
  const { seconds } = modelStepTime(model)
  const copies = model.configuration.parallelism.dp
  for (const decoding of [1, 7, 64, 500]) {
    for (let context = 3; context < 4e6; context *= 1.37) {
      const tokens = Math.round(decoding * context)
      const roofline = model.stepSeconds({
        sequences: copies * decoding,
        contextTokens: tokens / decoding,
        prefillTokens: 0,
        prefillContextTokens: 0,
      })
      expect(Math.abs(seconds(decodes(decoding, tokens)) / roofline - 1)).toBeLessThan(2e-4)
    }
  }
})

test.each(named)('as long as a step of %s says that it is straight, it is', (_, model) => {
  const { seconds, straightFor } = modelStepTime(model)
  for (const decoding of [1, 40]) {
    for (const context of [2, 100, 1020, 5000, 40_000]) {
      const at = (step: number) => decodes(decoding, decoding * (context + step - 1) + 1)
      const most = 20_000
      const steps = straightFor(at(1), most)
      expect(steps).toBeGreaterThanOrEqual(1)
      const [first, second] = [seconds(at(1)), seconds(at(2))]
      for (const step of [1, Math.ceil(steps / 3), steps]) {
        const line = first + (step - 1) * (second - first)
        expect(Math.abs(line / seconds(at(step)) - 1)).toBeLessThan(1e-9)
      }
      // What it says does not hang on how far one asks.
      for (const fewer of [1, 2, 50, 3000]) expect(straightFor(at(1), fewer)).toBe(Math.min(fewer, steps))
    }
  }
})

test('a step grows with every token of its cache and every sequence', () => {
  for (const model of SETUPS) {
    const { seconds } = modelStepTime(model)
    for (let decoding = 1; decoding < 300; decoding = Math.ceil(decoding * 1.5)) {
      let before = 0
      for (let context = 2; context < 1e6; context *= 2) {
        const now = seconds(decodes(decoding, decoding * context))
        expect(now).toBeGreaterThanOrEqual(before)
        expect(seconds(decodes(decoding + 1, (decoding + 1) * context))).toBeGreaterThanOrEqual(now)
        before = now
      }
    }
  }
})

test('where no corner lies the whole answer is one piece; a window has one at its length', () => {
  const [dense, , windowed] = SETUPS
  if (dense === undefined || windowed === undefined) throw new Error('no setups')
  expect(modelStepTime(dense).straightFor(decodes(8, 80), 100_000)).toBe(100_000)
  const steps = modelStepTime(windowed).straightFor(decodes(512, 512 * 28), 100_000)
  expect(steps).toBeLessThan(1000)
  expect(steps).toBeGreaterThanOrEqual(99)
})

test('a step that reads prompts is the roofline itself, of all copies alike', () => {
  const prompt = { completing: 1, completingKvTokens: 900, prefillTokens: 600, prefillContextTokens: 450 }
  for (const model of SETUPS) {
    const { seconds, straightFor } = modelStepTime(model)
    const copies = model.configuration.parallelism.dp
    for (const [decoding, decodeKvTokens] of [
      [20, 20_000],
      [0, 0],
    ] as const) {
      const load = { decoding, decodeKvTokens, ...prompt }
      expect(seconds(load)).toBe(
        model.stepSeconds({
          sequences: copies * decoding,
          contextTokens: decoding > 0 ? 1000 : 0,
          prefillTokens: copies * 600,
          prefillContextTokens: 450,
        }),
      )
      expect(straightFor(load, 10)).toBe(1)
    }
  }
})

test('a copy of a dense model takes as long as the model without copies', () => {
  const [one, two] = [{}, { dp: 2 }].map((layout) => modelStepTime(modelOf('Llama-3.1-8B', 'h100', layout)))
  expect(two?.seconds(decodes(10, 12_345))).toBeCloseTo(one?.seconds(decodes(10, 12_345)) ?? 0, 12)
})
