import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Prediction, percent } from '../../../src/core/index.ts'
import {
  type CalibrationSample,
  type Configuration,
  createConfiguration,
  createStepModel,
  findAccelerator,
  findModel,
  memoryOf,
  predict,
} from '../../../src/model/index.ts'

const lengths = { inputTokens: 1024, outputTokens: 256 }

function configured(model: string, gpu: string, more: Partial<Parameters<typeof createConfiguration>[0]> = {}) {
  return createConfiguration({ model: findModel(model), gpu: findAccelerator(gpu), ...more })
}

const small = (): Configuration => configured('Llama-3.1-8B', 'h100-sxm', { precision: 'bf16' })

/** Every number of an answer, wherever it stands. */
function numbersOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : []
}

describe('the frontier', () => {
  it('gives up pace for throughput as load grows, until all places are taken', () => {
    const { frontier, memory } = predict(small(), { lengths })
    expect(frontier.map(({ concurrency }) => concurrency).slice(0, 4)).toEqual([1, 2, 4, 8])
    expect(frontier.at(-1)?.concurrency).toBeLessThanOrEqual(memory.maxConcurrency)
    for (const [i, point] of frontier.entries()) {
      const before = frontier[i - 1]
      if (before === undefined) continue
      expect(point.tokensPerSecondPerUser).toBeLessThan(before.tokensPerSecondPerUser)
      expect(point.outputTokensPerSecond).toBeGreaterThan(before.outputTokensPerSecond)
    }
  })

  it('is that of the loads asked for, ascending and each once', () => {
    const { frontier } = predict(small(), { lengths, loads: [64, 1, 64] })
    expect(frontier.map(({ concurrency }) => concurrency)).toEqual([1, 64])
  })

  it('closes by Little: what is in flight is what comes out, times its stay', () => {
    for (const point of predict(small(), { lengths, loads: [1, 16, 128] }).frontier) {
      const stayS = (point.ttftMs + (lengths.outputTokens - 1) * point.tpotMs) / 1000
      const inFlight = (point.outputTokensPerSecond / lengths.outputTokens) * stayS
      expect(inFlight / point.concurrency).toBeCloseTo(1, 2)
    }
  })

  it('keeps the pace of a full server when more ask, and has them wait', () => {
    const configuration = configured('Llama-3.1-8B', 'h100-sxm', { precision: 'bf16', maxNumSeqs: 32 })
    const [full, more] = predict(configuration, { lengths, loads: [64, 128] }).frontier
    expect(more?.binding).toBe('capacity')
    expect((more?.tokensPerSecondPerUser ?? 0) / (full?.tokensPerSecondPerUser ?? 1)).toBeCloseTo(1, 1)
    expect(more?.ttftMs).toBeGreaterThan(1.5 * (full?.ttftMs ?? 0))
  })
})

describe('what stands beside both speeds', () => {
  it('costs what the GPUs cost in the time that a million tokens take', () => {
    const configuration = configured('Llama-3.1-70B', 'h100-sxm', { tp: 4, precision: 'bf16' })
    const { frontier } = predict(configuration, { lengths, loads: [8], pricePerHour: 3 })
    const [point] = frontier
    const hours = 1e6 / (point?.outputTokensPerSecond ?? 0) / 3600
    expect(point?.cost?.perMillionOutputTokens).toBeCloseTo(hours * 4 * 3, 6)
    expect(point?.energy?.joulesPerOutputToken).toBeCloseTo((4 * 700) / (point?.outputTokensPerSecond ?? 0), 6)
  })

  it('costs nothing where no price is given', () => {
    expect(predict(small(), { lengths, loads: [8] }).frontier[0]?.cost).toBeUndefined()
  })

  it('has the interval of its class about each pace', () => {
    const { frontier, confidence } = predict(small(), { lengths })
    expect(confidence.class).toBe('uncalibrated')
    for (const { low, high, tokensPerSecondPerUser: pace } of frontier) {
      expect(low / pace).toBeCloseTo(confidence.low, 9)
      expect(high / pace).toBeCloseTo(confidence.high, 9)
      expect(low).toBeLessThan(pace)
      expect(high).toBeGreaterThan(pace)
    }
  })
})

describe('the words', () => {
  it('say what a lone stream reads, and the pace that allows: 15.01 GB, 4.48 ms, 223 tok/s', () => {
    const [solo] = predict(small(), { lengths }).explanation
    expect(solo).toContain('15 GB of weights')
    expect(solo).toContain('4.48 ms')
    expect(solo).toContain('223 tok/s')
  })

  it.each([
    ['a window', 'gpt-oss-120b', {}, /18 layers keep no more than their window of 128 tokens/],
    ['experts in 4 bits', 'DeepSeek-R1', { tp: 8, precision: 'fp4' }, /the routed experts alone are in 4 bits/],
    ['EP over one copy of attention', 'DeepSeek-R1', { tp: 8, ep: 8 }, /EP 8 with one copy of attention is foretold/],
  ] as const)('say what surprises about %s, and nothing of it elsewhere', (_, name, more, words) => {
    expect(predict(configured(name, 'b200-sxm', more), { lengths }).explanation.join(' ')).toMatch(words)
    expect(predict(small(), { lengths }).explanation.join(' ')).not.toMatch(words)
  })

  it('say that an answer of one token has no pace', () => {
    const of = (outputTokens: number): string =>
      predict(small(), { lengths: { inputTokens: 1024, outputTokens } }).explanation.join(' ')
    expect(of(1)).toContain('has no pace')
    expect(of(2)).not.toContain('has no pace')
  })

  it('say of what binds how much of a step it takes', () => {
    const { frontier, explanation } = predict(small(), { lengths, loads: [1] })
    const share = frontier[0]?.bindingShare ?? 0
    expect(share).toBeGreaterThan(0.5)
    expect(share).toBeLessThan(1)
    expect(explanation.join(' ')).toContain(`the weights that binds (${percent(share)} of a step)`)
  })

  it('say where memory stops binding', () => {
    const { explanation, ridgeTokens } = predict(small(), { lengths })
    expect(ridgeTokens).toBeGreaterThan(280)
    expect(ridgeTokens).toBeLessThan(310)
    expect(explanation.join(' ')).toMatch(/Memory-bound until about 29\d tokens per step/)
  })

  it('name each binding with its loads', () => {
    const { explanation, frontier } = predict(small(), { lengths: { inputTokens: 16_000, outputTokens: 256 } })
    expect(new Set(frontier.map(({ binding }) => binding)).size).toBeGreaterThan(1)
    expect(explanation.join(' ')).toMatch(/in flight it is the reading of the (weights|KV cache) that binds/)
  })

  it('mind a context longer than the model was made for, and only then', () => {
    const long = predict(small(), { lengths: { inputTokens: 140_000, outputTokens: 256 }, loads: [1] })
    expect(long.explanation.join(' ')).toContain('more than the context of 131,072')
    expect(predict(small(), { lengths, loads: [1] }).explanation.join(' ')).not.toContain('context of')
  })
})

describe('a step, explained', () => {
  const explained = (loads: readonly number[]): NonNullable<Prediction['step']> => {
    const { step } = predict(small(), { lengths, loads, explain: true })
    if (step === undefined) throw new Error('no step')
    return step
  }

  it('is the sum of its parts, and takes what a token takes', () => {
    const { parts, ms } = explained([64])
    expect(parts.reduce((sum, part) => sum + part.ms, 0)).toBeCloseTo(ms, 6)
    const [point] = predict(small(), { lengths, loads: [64] }).frontier
    expect(ms).toBeCloseTo(point?.tpotMs ?? 0, 6)
  })

  it('is of the greatest load', () => expect(explained([8, 64, 2]).concurrency).toBe(64))

  it('is told only where it is asked for', () => expect(predict(small(), { lengths }).step).toBeUndefined())
})

describe('calibration', () => {
  /** Measured so many times slower than specifications have it. */
  const measured = (configuration: Configuration, slower: number): readonly CalibrationSample[] =>
    predict(configuration, { lengths, loads: [1, 8, 64] }).frontier.map((point) => ({
      model: createStepModel(configuration),
      memory: memoryOf(configuration, lengths),
      lengths,
      load: point.concurrency,
      tokensPerSecondPerUser: point.tokensPerSecondPerUser / slower,
    }))

  it('finds again what was measured of the very configuration', () => {
    const { frontier, confidence, calibratedBy } = predict(small(), {
      lengths,
      loads: [8],
      samples: measured(small(), 1.4),
    })
    const [plain] = predict(small(), { lengths, loads: [8] }).frontier
    const slower = (plain?.tokensPerSecondPerUser ?? 0) / (frontier[0]?.tokensPerSecondPerUser ?? 1)
    expect(slower).toBeGreaterThan(1.35)
    expect(slower).toBeLessThan(1.45)
    expect(confidence.class).toBe('interpolated')
    expect(calibratedBy).toBe(3)
  })

  it('takes it over to another split, and is surer than without', () => {
    const two = configured('Llama-3.1-8B', 'h100-sxm', { precision: 'bf16', tp: 2 })
    const plain = predict(two, { lengths, loads: [8] })
    const scaled = predict(two, { lengths, loads: [8], samples: measured(small(), 1.4) })
    expect(scaled.frontier[0]?.tokensPerSecondPerUser).toBeLessThan(
      0.85 * (plain.frontier[0]?.tokensPerSecondPerUser ?? 0),
    )
    expect(scaled.confidence.class).toBe('newShape')
    const width = ({ low, high }: Prediction['confidence']): number => Math.log(high / low)
    expect(width(scaled.confidence)).toBeLessThan(width(plain.confidence))
  })
})

describe('whatever is asked', () => {
  it('no figure is missing or endless', () => {
    const models = ['Llama-3.1-8B', 'Qwen3-30B-A3B', 'gpt-oss-20b', 'Gemma-3-12b']
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        fc.constantFrom('h100-sxm', 'h200-sxm', 'b200-sxm', 'mi300x'),
        fc.integer({ min: 1, max: 8000 }),
        fc.integer({ min: 1, max: 4000 }),
        fc.integer({ min: 1, max: 5000 }),
        (model, gpu, inputTokens, outputTokens, load) => {
          const answer = predict(configured(model, gpu), {
            lengths: { inputTokens, outputTokens },
            loads: [load],
            explain: true,
          })
          expect(numbersOf(answer).every(Number.isFinite)).toBe(true)
        },
      ),
      { seed: 4, numRuns: 200 },
    )
  })
})
