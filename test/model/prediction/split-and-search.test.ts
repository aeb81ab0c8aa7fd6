import { describe, expect, it } from 'vitest'
import { figure } from '../../../src/core/index.ts'
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
import { predictedSearchText, predictionText } from '../../../src/report/index.ts'

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

  it('tell where the time of a step of either pool goes, where that is asked', () => {
    const explained = predictSplit(pools({ loads: [8, 32], explain: true }))
    const { prefill, decode } = explained.pools ?? {}
    if (prefill?.step === undefined || decode?.step === undefined) throw new Error('no steps')
    for (const { ms, parts } of [prefill.step, decode.step]) {
      expect(parts.length).toBeGreaterThan(4)
      expect(parts.reduce((sum, part) => sum + part.ms, 0)).toBeCloseTo(ms, 9)
    }
    // Of 4,096 tokens in a budget of 8,192: one step reads the prompt, and that is what the sentence says it takes.
    expect(prefill.step).toMatchObject({ promptTokens: 4096, sequences: 0 })
    expect(explained.explanation.join(' ')).toContain(`is read in ${figure(prefill.step.ms)} ms`)
    // A user feels the step of decoding alone.
    expect(decode.step.promptTokens).toBe(0)
    expect(decode.step.ms).toBeCloseTo(explained.frontier[1]?.tpotMs ?? 0, 9)
    expect(answer.pools?.decode.step).toBeUndefined()
    const text = predictionText(explained)
    expect(text).toMatch(/A step of one of 2 × TP4, which read: 4,096 tokens of prompt\./)
    expect(text).toMatch(/A step of one of 1 × TP8, which answer, at 32 in flight: [\d.]+ streams of 4,352 tokens/)
    expect(predictionText(answer)).not.toContain('A step of one of')
  })

  it('say nothing of a floor that was not asked for', () => {
    const free = predictSplit(pools())
    expect(free.pools?.atFloor).toBeUndefined()
    expect(free.explanation.join(' ')).not.toMatch(/At [\d,.]+ tok\/s\/user the split gives/)
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
    expect(high.explanation.join(' ')).toMatch(/None gives 4,000 tok\/s\/user: the fastest gives [\d,.]+\./)
  })

  const asked = { model, gpu, lengths, configurationOf }

  it('says what the wait is where nobody asked about it, and does not where somebody did', () => {
    const words = answer.explanation.join(' ')
    expect(words).toContain(`not asked about: it is ${figure(answer.best?.ttftMs ?? 0)} ms there`)
    const limited = predictSearch({ ...asked, gpus: 8, floor: 40, ttftMs: 2000 })
    expect(limited.explanation.join(' ')).not.toContain('not asked about')
    expect(predictSearch({ ...asked, gpus: 8 }).explanation.join(' ')).toMatch(/it is [\d,.]+ to [\d,.]+ ms there/)
  })

  it('says the shortest wait that can be had where none is as short as asked, and shows no empty table', () => {
    const none = predictSearch({ ...asked, gpus: 8, ttftMs: 5 })
    expect(none.frontier).toEqual([])
    expect(none.search.leastTtftMs).toBeGreaterThan(5)
    expect(none.explanation.at(-1)).toContain(`the least is ${figure(none.search.leastTtftMs ?? 0)} ms`)
    expect(predictedSearchText(none)).not.toContain('in flight')
    expect(predictedSearchText(answer)).toContain('in flight')
  })

  it('says of each line how many GPUs it uses where one leaves some idle', () => {
    const odd = predictSearch({ ...asked, gpus: 10, floor: 25 })
    expect(odd.frontier.some(({ gpus }) => (gpus ?? 0) < 10)).toBe(true)
    expect(predictedSearchText(odd)).toMatch(/\b8 of 10\b/)
    expect(odd.explanation.join(' ')).toContain('counts the idle ones too')
    const all = predictSearch({ ...asked, gpus: 1 })
    expect(predictedSearchText(all)).not.toMatch(/1 of 1|idle/)
  })
})
