import { describe, expect, it } from 'vitest'
import {
  type Configuration,
  createConfiguration,
  findAccelerator,
  findModel,
  type Parallelism,
  parseLink,
  parsePool,
  predict,
  predictSearch,
  predictSplit,
  type SplitOptions,
} from '../../../src/model/index.ts'

const model = findModel('Llama-3.1-70B')
const gpu = findAccelerator('h100-sxm')
const lengths = { inputTokens: 4096, outputTokens: 512 }
const configurationOf = (parallelism: Partial<Parallelism>): Configuration =>
  createConfiguration({ model, gpu, precision: 'fp8', ...parallelism })

const pools = (more: Partial<SplitOptions> = {}): SplitOptions => ({
  prefill: parsePool('--prefill', '2x4'),
  decode: parsePool('--decode', '1x8'),
  lengths,
  configurationOf,
  ...more,
})

describe('split pools', () => {
  const answer = predictSplit(pools({ floor: 40 }))

  it('count all GPUs of both', () => {
    expect(answer.hardware).toMatchObject({ name: gpu.id, gpus: 16, tp: 8 })
    for (const { outputTokensPerSecond, tokensPerSecondPerGpu } of answer.frontier) {
      expect(tokensPerSecondPerGpu).toBeCloseTo(outputTokensPerSecond / 16, 9)
    }
  })

  it("give each pool's own figure of its own GPUs, for the same requests", () => {
    for (const { split, outputTokensPerSecond } of answer.frontier) {
      if (split === undefined) throw new Error('no rates')
      const requests = outputTokensPerSecond / lengths.outputTokens
      expect(split.prefill.gpus).toBe(8)
      expect(split.prefill.tokensPerSecondPerGpu).toBeCloseTo((requests * lengths.inputTokens) / 8, 6)
      expect(split.decode.tokensPerSecondPerGpu).toBeCloseTo(outputTokensPerSecond / 8, 6)
      expect(split.prefill.busy).toBeCloseTo(requests / split.prefill.requestsPerSecond, 9)
    }
  })

  it('keep a pace that prompts do not share, so that it is faster than with them on the same GPUs', () => {
    const load = [32]
    const [split] = predictSplit(pools({ loads: load })).frontier
    const [colocated] = predict(configurationOf({ tp: 8 }), { lengths, loads: load }).frontier
    expect(split?.tokensPerSecondPerUser).toBeGreaterThan(colocated?.tokensPerSecondPerUser ?? Number.POSITIVE_INFINITY)
  })

  it('wait longer for the first token over a slower link', () => {
    const over = (name: string): number =>
      predictSplit(pools({ loads: [1], link: parseLink(name, gpu) })).frontier[0]?.ttftMs ?? 0
    // 4096 tokens of 327 680 bytes through four links or more: 1.34 GB take 27 ms longer at 10 GB/s than at 50.
    expect(over('10GB/s')).toBeGreaterThan(over('50GB/s') + 10)
  })

  it('say in words how a prompt gets there, which pool ends it first, and what the floor gives either way', () => {
    const words = answer.explanation.join(' ')
    expect(words).toMatch(/A prompt of 4,096 tokens is read in [\d.]+ ms, and its KV cache takes [\d.]+ ms/)
    expect(words).toMatch(/At most [\d.]+ requests\/s are read by 2 × TP4, and [\d.]+ answered by 1 × TP8/)
    expect(words).toMatch(/At 40 tok\/s\/user the split gives [\d,.]+ tok\/s\/GPU, replicas that do both [\d,.]+/)
    expect(answer.pools?.atFloor?.matched?.tokensPerSecondPerGpu).toBeGreaterThan(0)
  })

  it('say nothing of a floor that was not asked for', () => {
    const free = predictSplit(pools())
    expect(free.pools?.atFloor).toBeUndefined()
    expect(free.explanation.join(' ')).not.toContain('replicas that do both give')
  })
})

describe('a search', () => {
  const answer = predictSearch({ model, gpu, gpus: 8, lengths, configurationOf, floor: 40 })

  it('gives what no other beats: pace falls where the throughput rises', () => {
    expect(answer.frontier.length).toBeGreaterThan(3)
    for (const [i, point] of answer.frontier.entries()) {
      const before = answer.frontier[i - 1]
      if (before === undefined) continue
      expect(point.tokensPerSecondPerUser).toBeLessThan(before.tokensPerSecondPerUser)
      expect(point.tokensPerSecondPerGpu).toBeGreaterThan(before.tokensPerSecondPerGpu)
    }
  })

  it('names the configuration of each, within the budget', () => {
    for (const { configuration, gpus } of answer.frontier) {
      expect(configuration).toMatch(/^\d+ × TP\d/)
      expect(gpus).toBeLessThanOrEqual(8)
    }
  })

  it('is never beaten by a single configuration', () => {
    const one = predict(configurationOf({ tp: 8 }), { lengths })
    for (const point of one.frontier) {
      const beaten = answer.frontier.some(
        (found) =>
          found.tokensPerSecondPerUser >= 0.98 * point.tokensPerSecondPerUser &&
          found.tokensPerSecondPerGpu >= 0.98 * point.tokensPerSecondPerGpu,
      )
      expect(beaten).toBe(true)
    }
  })

  it('tells the best at the floor, and that nothing reaches a floor too high', () => {
    expect(answer.best?.tokensPerSecondPerUser).toBeGreaterThanOrEqual(40)
    expect(answer.explanation.join(' ')).toContain('tok/s/user or more')
    const high = predictSearch({ model, gpu, gpus: 8, lengths, configurationOf, floor: 4000 })
    expect(high.best).toBeUndefined()
    expect(high.explanation.join(' ')).toContain('None gives 4,000 tok/s/user')
  })
})
