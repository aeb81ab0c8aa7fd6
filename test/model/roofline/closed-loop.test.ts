import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACCELERATORS, MODELS } from '../../../src/model/catalogue/catalogue.ts'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { IDEAL } from '../../../src/model/roofline/constants.ts'
import {
  type ConfigurationOptions,
  closedLoop,
  createConfiguration,
  createStepModel,
  memoryOf,
  prefillSeconds,
  type StepModel,
} from '../../../src/model/roofline/index.ts'
import { simulateLoop } from './simulated-loop.ts'

const predictor = (options: ConfigurationOptions, lengths = { inputTokens: 1024, outputTokens: 256 }) => {
  const model = createStepModel(createConfiguration(options))
  const memory = memoryOf(model.configuration, lengths)
  return { model, memory, at: (load: number) => closedLoop(model, memory, lengths, load) }
}
const named = (model: string, gpu: string) => ({ model: findModel(model), gpu: findAccelerator(gpu) })

describe('a closed loop', () => {
  it('closes Little’s law at every load, held or queueing', () => {
    const lengths = { inputTokens: 8192, outputTokens: 1024 }
    const { at, memory } = predictor({ ...named('Llama-3.1-8B', 'h100-sxm') }, lengths)
    for (const load of [1, 3, 16, memory.maxConcurrency, 4 * memory.maxConcurrency]) {
      const point = at(load)
      const requestsPerSecond = point.outputTokensPerSecond / lengths.outputTokens
      const staysS = (point.ttftMs + (lengths.outputTokens - 1) * point.tpotMs) / 1000
      expect(requestsPerSecond * staysS).toBeCloseTo(load, 5)
      expect(point.batch).toBeLessThanOrEqual(load)
    }
  })

  it('of one user is a step after the other and one prompt', () => {
    const { at, model } = predictor(named('Llama-3.1-8B', 'h100-sxm'))
    const alone = model.stepSeconds({ sequences: 1, contextTokens: 1152, prefillTokens: 0, prefillContextTokens: 0 })
    expect(at(1).tpotMs / 1000 / alone).toBeCloseTo(1, 9)
    expect(at(1).ttftMs / 1000).toBeGreaterThan(prefillSeconds(model, 1024))
    expect(at(1).ttftMs / 1000).toBeLessThan(prefillSeconds(model, 1024) + 0.1)
    expect(at(1).binding).toBe('weights')
  })

  it.each([
    { inputTokens: 8192, outputTokens: 128 },
    { inputTokens: 100_000, outputTokens: 100 },
  ])('of one user never meets a prompt of its own, however long: %o', (lengths) => {
    const { at, model } = predictor(named('Llama-3.1-8B', 'h200-sxm'), lengths)
    const contextTokens = lengths.inputTokens + lengths.outputTokens / 2
    const alone = model.stepSeconds({ sequences: 1, contextTokens, prefillTokens: 0, prefillContextTokens: 0 })
    expect(at(1).tpotMs / 1000 / alone).toBeCloseTo(1, 9)
    expect(at(2).tpotMs / 1000 / alone).toBeGreaterThan(1.1)
  })

  it.each([
    ['Llama-3.1-8B', 'h100-sxm', {}, { inputTokens: 1024, outputTokens: 512 }, [1, 4, 16, 64]],
    ['Llama-3.1-8B', 'h100-sxm', {}, { inputTokens: 8192, outputTokens: 512 }, [1, 4, 16]],
    ['Llama-3.1-70B', 'h200-sxm', { tp: 4, precision: 'fp8' }, { inputTokens: 8192, outputTokens: 512 }, [1, 8, 64]],
    ['gpt-oss-120b', 'b200-sxm', {}, { inputTokens: 1024, outputTokens: 512 }, [1, 8, 64]],
  ] as const)('of %s on %s is what its steps make of it, one after the other', (model, gpu, asked, lengths, loads) => {
    const predicted = predictor({ ...named(model, gpu), ...asked }, lengths)
    for (const load of loads) {
      const { tpotMs, ttftMs } = predicted.at(load)
      const seen = simulateLoop(predicted.model, lengths, load, 8)
      expect(Math.abs(tpotMs / 1000 / seen.tpotS - 1), `pace at ${load}`).toBeLessThan(0.03)
      expect(Math.abs(ttftMs / 1000 / seen.ttftS - 1), `first token at ${load}`).toBeLessThan(0.2)
    }
  })

  it('of a dense model in copies is that of one copy, for each of them', () => {
    const lengths = { inputTokens: 8192, outputTokens: 256 }
    const [one, eight] = [1, 8].map((dp) => predictor({ ...named('Llama-3.1-8B', 'h100-sxm'), dp }, lengths))
    for (const load of [1, 3, 16]) {
      const [alone, together] = [one!.at(load), eight!.at(8 * load)]
      expect(together.tpotMs).toBeCloseTo(alone.tpotMs, 6)
      expect(together.ttftMs).toBeCloseTo(alone.ttftMs, 4)
      expect(together.outputTokensPerSecond / alone.outputTokensPerSecond).toBeCloseTo(8, 6)
    }
  })

  it.each([
    ['Llama-3.1-8B', {}],
    ['gpt-oss-120b', { ep: 8 }],
    ['Qwen3-30B-A3B', { ep: 8 }],
  ])('of %s in eight copies reads a prompt no faster than one copy at its best', (name, asked) => {
    const lengths = { inputTokens: 8192, outputTokens: 256 }
    const [one, eight] = [{}, { ...asked, dp: 8 }].map((more) => ({ ...named(name, 'h200-sxm'), ...more }))
    const ideal = createStepModel(createConfiguration(eight!), IDEAL)
    const work = { sequences: 0, contextTokens: 0, prefillTokens: 8192, prefillContextTokens: 4096, prefillCopies: 1 }
    for (const load of [1, 8, 64]) {
      expect(predictor(eight!, lengths).at(load).ttftMs / 1000).toBeGreaterThan(ideal.stepSeconds(work))
    }
    expect(predictor(eight!, lengths).at(1).ttftMs).toBeGreaterThan(0.3 * predictor(one!, lengths).at(1).ttftMs)
  })

  it('beyond what memory holds keeps its pace, and lets the rest wait', () => {
    const { at, memory } = predictor(
      { ...named('Llama-3.1-8B', 'l4'), precision: 'fp8' },
      { inputTokens: 8000, outputTokens: 500 },
    )
    const most = memory.maxConcurrency
    const [full, twice, thrice] = [at(most), at(2 * most), at(3 * most)]
    expect(twice.tpotMs).toBeCloseTo(full.tpotMs, 9)
    expect(twice.outputTokensPerSecond).toBeCloseTo(full.outputTokensPerSecond, 6)
    expect(full.binding).not.toBe('capacity')
    expect(twice.binding).toBe('capacity')
    expect(thrice.ttftMs - twice.ttftMs).toBeCloseTo(twice.ttftMs - full.ttftMs, 3)
    expect(twice.ttftMs).toBeGreaterThan(2 * full.ttftMs)
  })

  it('decodes no more at once than the cap on sequences', () => {
    const { at } = predictor({ ...named('Llama-3.1-8B', 'h100-sxm'), maxNumSeqs: 16 })
    expect(at(64).batch).toBeLessThanOrEqual(16)
    expect(at(64).binding).toBe('capacity')
    expect(at(8).binding).not.toBe('capacity')
  })

  it('of long prompts and short answers reads them no faster than the budget of a step', () => {
    const lengths = { inputTokens: 8192, outputTokens: 64 }
    const { at, model } = predictor(named('Llama-3.1-8B', 'b200-sxm'), lengths)
    const point = at(120)
    const promptsS = point.outputTokensPerSecond / lengths.outputTokens
    expect(promptsS * prefillSeconds(model, lengths.inputTokens)).toBeLessThan(1)
    expect(point.binding).toBe('compute')
  })

  it('is bound by the cache where contexts are long, by links where shards are small', () => {
    const long = predictor({ ...named('Llama-3.1-8B', 'h200-sxm') }, { inputTokens: 32_000, outputTokens: 8000 })
    expect(long.at(16).binding).toBe('kv')
    const thin = predictor({ ...named('Llama-3.1-8B', 'l40s'), tp: 8 })
    expect(thin.at(64).binding).toBe('communication')
  })
})

/** Any model on any accelerator, over as many of them as it takes. */
const anywhere = fc
  .record({
    model: fc.constantFrom(...MODELS),
    gpu: fc.constantFrom(...ACCELERATORS),
    tp: fc.constantFrom(1, 2, 4, 8),
    pp: fc.constantFrom(1, 2, 4),
    dp: fc.constantFrom(1, 2),
    shared: fc.boolean(),
    inputTokens: fc.integer({ min: 1, max: 20_000 }),
    outputTokens: fc.integer({ min: 1, max: 5000 }),
  })
  .map(({ shared, inputTokens, outputTokens, ...asked }) => {
    const lengths = { inputTokens, outputTokens }
    const ep = shared && asked.model.experts !== undefined ? asked.tp * asked.dp : 1
    try {
      return { ...predictor({ ...asked, ep }, lengths), lengths }
    } catch {
      return undefined
    }
  })
  .filter((made) => made !== undefined)

const finite = (model: StepModel, value: object): void => {
  for (const [key, figure] of Object.entries(value)) {
    if (typeof figure !== 'number') continue
    expect(Number.isFinite(figure) && figure > 0, `${key} of ${model.configuration.model.id} is ${figure}`).toBe(true)
  }
}

describe('whatever runs where', () => {
  it('gives finite figures; pace falls and throughput rises with the load; parts add up to the step', () => {
    fc.assert(
      fc.property(anywhere, ({ at, model, memory, lengths }) => {
        const points = [1, 2, 5, 17, 64, 300, 5000].map(at)
        for (const point of points) finite(model, point)
        points.slice(1).forEach((point, i) => {
          const before = points[i]
          if (before === undefined) return
          expect(point.tokensPerSecondPerUser).toBeLessThanOrEqual(before.tokensPerSecondPerUser * (1 + 5e-3))
          // A stream meets all prompts but its own: one in so many, which shows where little but prompts is read.
          expect(point.outputTokensPerSecond).toBeGreaterThanOrEqual(before.outputTokensPerSecond * (1 - 1e-2))
          expect(point.batch).toBeLessThanOrEqual(memory.maxConcurrency)
        })
        const work = {
          sequences: 7,
          contextTokens: lengths.inputTokens,
          prefillTokens: 300,
          prefillContextTokens: 150,
        }
        const parts = model.parts(work).reduce((sum, part) => sum + part.seconds, 0)
        expect(Math.abs(parts / model.stepSeconds(work) - 1)).toBeLessThan(1e-9)
      }),
      { seed: 4, numRuns: 300 },
    )
  })
})
