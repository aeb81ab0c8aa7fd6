import { expect, test } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { type Asked, confidenceOf, evidenceOf, widest } from '../../../src/model/roofline/confidence.ts'
import { createConfiguration } from '../../../src/model/roofline/configuration.ts'
import { memoryOf } from '../../../src/model/roofline/memory.ts'
import { createStepModel } from '../../../src/model/roofline/roofline.ts'

const LENGTHS = { inputTokens: 1024, outputTokens: 1024 }
const on = (model: string, tp: number, precision = 'fp8', kvPrecision = 'bf16') =>
  createConfiguration({ model: findModel(model), gpu: findAccelerator('h200'), tp, precision, kvPrecision })
const asked = (tp: number, load = 8, model = 'llama-3.1-70b'): Asked => ({
  configuration: on(model, tp),
  lengths: LENGTHS,
  load,
})

const sampleOf = (tp: number, load = 8, lengths = LENGTHS, configuration = on('llama-3.1-70b', tp)) => ({
  model: createStepModel(configuration),
  memory: memoryOf(configuration, lengths),
  lengths,
  load,
  tokensPerSecondPerUser: 50,
})
/** What a calibrated model misses of each sample. */
const missing = (...misses: number[]) => ({ error: Math.max(...misses), misses })
const widthOf = (evidence: ReturnType<typeof evidenceOf>): number => {
  const { low, high, ttft } = confidenceOf(evidence)
  for (const range of [{ low, high }, ttft]) {
    expect(range.low).toBeGreaterThan(0)
    expect(range.low).toBeLessThan(1)
    expect(range.high).toBeGreaterThan(1)
  }
  return high / low
}

test('the class says what was measured', () => {
  expect(evidenceOf(asked(4)).class).toBe('uncalibrated')
  expect(evidenceOf(asked(4), [sampleOf(8)], missing(0.02)).class).toBe('newShape')
  expect(evidenceOf(asked(4), [sampleOf(4, 8, { inputTokens: 8192, outputTokens: 1024 })], missing(0.02)).class).toBe(
    'newShape',
  )
  expect(evidenceOf(asked(4), [sampleOf(8), sampleOf(4)], missing(0.02, 0.02)).class).toBe('interpolated')
})

test('another format of weights or of the KV cache is another shape, and a wide one', () => {
  const same = widthOf(evidenceOf(asked(4), [sampleOf(4)], missing(0.02)))
  for (const configuration of [on('llama-3.1-70b', 4, 'bf16'), on('llama-3.1-70b', 4, 'fp8', 'fp8')]) {
    const evidence = evidenceOf(asked(4), [sampleOf(4, 8, LENGTHS, configuration)], missing(0.02))
    expect(evidence.class).toBe('newShape')
    expect(widthOf(evidence)).toBeGreaterThan(1.2 * same)
  }
})

test('split pools and an engine that does both tell of each other as of another shape, and of themselves as of the same', () => {
  const pools = { name: '1 × TP4 prefill, 2 × TP4 decode', instances: 2 }
  const split = { ...sampleOf(4, 16), pools }
  const of = (ask: Asked, sample: typeof split | ReturnType<typeof sampleOf>): string =>
    evidenceOf(ask, [sample], missing(0.02)).class
  expect(of(asked(4), split)).toBe('newShape')
  expect(of({ ...asked(4), pools: pools.name }, sampleOf(4))).toBe('newShape')
  expect(of({ ...asked(4), pools: '2 × TP4 prefill, 2 × TP4 decode' }, split)).toBe('newShape')
  expect(of({ ...asked(4), pools: pools.name }, split)).toBe('interpolated')
  const alike = { ...asked(4), pools: pools.name }
  expect(widthOf(evidenceOf(alike, [split], missing(0.02)))).toBeLessThan(
    widthOf(evidenceOf({ ...alike, load: 16 }, [split], missing(0.02))),
  )
})

test('the farther from what was measured, the wider', () => {
  const widths = [
    evidenceOf(asked(8), [sampleOf(8)], missing(0.02)),
    evidenceOf(asked(8), [sampleOf(4)], missing(0.02)),
    evidenceOf(asked(8), [sampleOf(2)], missing(0.02)),
    evidenceOf(asked(8)),
  ].map(widthOf)
  expect(widths).toEqual(widths.toSorted((a, b) => a - b))
  expect(widths[0]).toBeLessThan(widths[3]!)
})

test('the farther from the loads that were measured, and the fewer they are, the wider', () => {
  const one = [1, 2, 16, 256].map((load) => widthOf(evidenceOf(asked(4, load), [sampleOf(4, 1)], missing(0))))
  expect(one).toEqual(one.toSorted((a, b) => a - b))
  // A load alone tells little of one 256 times as large: 0.157 of the logarithm held 80 of 100 public loads, over all gaps.
  expect(one[3]).toBeGreaterThan(Math.exp(0.5))
  expect(one[0]).toBeLessThan(1.05)
  const three = evidenceOf(asked(4, 64), [sampleOf(4, 1), sampleOf(4, 16), sampleOf(4, 256)], missing(0, 0, 0))
  const two = evidenceOf(asked(4, 64), [sampleOf(4, 1), sampleOf(4, 256)], missing(0, 0))
  expect(widthOf(three)).toBeLessThan(widthOf(two))
  expect(widthOf(two)).toBeLessThan(widthOf(evidenceOf(asked(4, 64), [sampleOf(4, 256)], missing(0))))
})

test('beyond all loads that were measured more of them do not make it surer', () => {
  const few = [sampleOf(4, 1), sampleOf(4, 8)]
  const many = [...few, ...[2, 3, 4, 5, 6, 7].map((load) => sampleOf(4, load))]
  const wide = [few, many].map((samples) =>
    widthOf(evidenceOf(asked(4, 64), samples, missing(...samples.map(() => 0)))),
  )
  for (const width of wide) expect(width).toBeGreaterThan(Math.exp(2 * 0.15))
  expect(widthOf(evidenceOf(asked(4, 4.5), many, missing(...many.map(() => 0))))).toBeLessThan(Math.exp(2 * 0.05))
})

test('the interval holds the samples, however they contradict the model', () => {
  const samples = [sampleOf(4, 1), sampleOf(4, 16), sampleOf(4, 64)]
  const calibration = { error: 0.4, misses: [0.01, 0.7, 0.01] }
  expect(widthOf(evidenceOf(asked(4, 16), samples, calibration))).toBeGreaterThan(Math.exp(2 * 0.7))
  expect(widthOf(evidenceOf(asked(4, 64), samples, calibration))).toBeLessThan(Math.exp(2 * 0.5))
})

test('where no sweep of the maker was published, less is promised', () => {
  const configuration = createConfiguration({
    model: findModel('llama-3.1-70b'),
    gpu: findAccelerator('mi300x'),
    tp: 4,
  })
  expect(widthOf(evidenceOf({ ...asked(4), configuration }))).toBeGreaterThan(2 * widthOf(evidenceOf(asked(4))))
})

test('experts make it wider', () => {
  expect(widthOf(evidenceOf(asked(4, 8, 'qwen3-235b-a22b')))).toBeGreaterThan(widthOf(evidenceOf(asked(4))))
})

test('the widest of several is found, and none of none', () => {
  const [near, far] = [1, 256].map((load) => confidenceOf(evidenceOf(asked(4, load), [sampleOf(4, 1)], missing(0))))
  expect(widest([near!, far!, near!])).toEqual(far)
  expect(widest([])).toBeUndefined()
})

test('measured paces tell nothing of the first token, measured first tokens do', () => {
  const sample = sampleOf(4, 16)
  const none = confidenceOf(evidenceOf(asked(4, 16), [sample])).ttft
  expect(none).toEqual(confidenceOf(evidenceOf(asked(4, 16))).ttft)
  const some = confidenceOf(evidenceOf(asked(4, 16), [{ ...sample, ttftMs: 200 }])).ttft
  expect(some.high / some.low).toBeLessThan(none.high / none.low / 2)
})
