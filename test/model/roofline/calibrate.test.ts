import { expect, test } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import {
  type Calibration,
  type CalibrationSample,
  calibrate,
  calibrated,
} from '../../../src/model/roofline/calibrate.ts'
import { closedLoop } from '../../../src/model/roofline/closed-loop.ts'
import { createConfiguration } from '../../../src/model/roofline/configuration.ts'
import { memoryOf } from '../../../src/model/roofline/memory.ts'
import { createStepModel } from '../../../src/model/roofline/roofline.ts'
import type { StepWork } from '../../../src/model/roofline/step-model.ts'

const LENGTHS = { inputTokens: 2048, outputTokens: 512 }
const LOADS = [1, 4, 8, 16, 32, 64]

const modelOn = (tp: number) =>
  createStepModel(
    createConfiguration({ model: findModel('llama-3.1-70b'), gpu: findAccelerator('h200'), tp, precision: 'fp8' }),
  )

const factors = (base: number, growth: number, prefill: number): Calibration => ({
  base,
  growth,
  prefill,
  waits: [],
  error: 0,
  misses: [],
})

/** What a server would have been seen to do whose steps take so many times what specifications say. */
function samplesOf(base: number, growth: number, prefill: number, tp = 4): readonly CalibrationSample[] {
  const model = modelOn(tp)
  const memory = memoryOf(model.configuration, LENGTHS)
  const truth = calibrated(model, factors(base, growth, prefill))
  return LOADS.map((load) => {
    const { tokensPerSecondPerUser, ttftMs } = closedLoop(truth, memory, LENGTHS, load)
    return { model, memory, lengths: LENGTHS, load, tokensPerSecondPerUser, ttftMs }
  })
}

const paceAt = (tp: number, load: number, calibration: Calibration): number => {
  const model = modelOn(tp)
  const memory = memoryOf(model.configuration, LENGTHS)
  return closedLoop(calibrated(model, calibration), memory, LENGTHS, load).tokensPerSecondPerUser
}

test('without measurements nothing is corrected', () => {
  expect(calibrate([])).toEqual({ base: 1, growth: 1, prefill: 1, waits: [], error: 0, misses: [] })
  const work: StepWork = { sequences: 16, contextTokens: 2000, prefillTokens: 100, prefillContextTokens: 1000 }
  expect(calibrated(modelOn(4), calibrate([])).stepSeconds(work)).toBeCloseTo(modelOn(4).stepSeconds(work), 12)
})

test('a server that is slower by one factor is found, and so is its neighbour on other GPUs', () => {
  const calibration = calibrate(samplesOf(1.4, 1.4, 1.4))
  expect(calibration.error).toBeLessThan(0.01)
  for (const load of [1, 16, 64]) {
    const truth = paceAt(8, load, factors(1.4, 1.4, 1.4))
    expect(paceAt(8, load, calibration) / truth).toBeGreaterThan(0.98)
    expect(paceAt(8, load, calibration) / truth).toBeLessThan(1.02)
    expect(paceAt(8, load, factors(1, 1, 1)) / truth).toBeGreaterThan(1.2)
  }
})

test('where what a step costs and what a sequence adds are off by different factors, both speeds are still met', () => {
  const calibration = calibrate(samplesOf(1.6, 1, 1.1))
  expect(calibration.base).toBeGreaterThan(calibration.growth)
  expect(calibration.error).toBeLessThan(0.05)
})

test('a first token that comes later than specifications say is expected later elsewhere too', () => {
  const slow = samplesOf(1.2, 1.2, 1.2).map((sample) => ({ ...sample, ttftMs: 2 * (sample.ttftMs ?? 0) }))
  const calibration = calibrate(slow)
  for (const { factor } of calibration.waits) {
    expect(factor).toBeGreaterThan(1.8)
    expect(factor).toBeLessThan(2.2)
  }
  expect(calibration.waits.map(({ load }) => load)).toEqual(LOADS)
  for (const { factor } of calibrate(samplesOf(1.2, 1.2, 1.2)).waits) expect(factor).toBeCloseTo(1, 1)
  expect(calibrate(slow.map(({ ttftMs: _, ...sample }) => sample)).waits).toEqual([])
})

test('first tokens that wait the longer the more are in flight come back at their loads, and between them lie between', () => {
  const waits = [1, 1.5, 2, 3, 5, 8]
  const seen = samplesOf(1.2, 1.2, 1.2).map((sample, i) => ({
    ...sample,
    ttftMs: (sample.ttftMs ?? 0) * (waits[i] ?? 1),
  }))
  const model = calibrated(modelOn(4), calibrate(seen))
  const memory = memoryOf(model.configuration, LENGTHS)
  const ttftAt = (load: number): number => closedLoop(model, memory, LENGTHS, load).ttftMs
  for (const { load, ttftMs } of seen) expect(Math.abs(ttftAt(load) / ttftMs - 1), `at ${load}`).toBeLessThan(0.03)
  expect(ttftAt(24)).toBeGreaterThan(ttftAt(16))
  expect(ttftAt(24)).toBeLessThan(ttftAt(32))
})

test('one load that is far off moves little', () => {
  const clean = samplesOf(1.3, 1.3, 1.3)
  const wild = clean.map((sample, i) =>
    i === 2 ? { ...sample, tokensPerSecondPerUser: 3 * sample.tokensPerSecondPerUser } : sample,
  )
  expect(paceAt(8, 16, calibrate(wild)) / paceAt(8, 16, calibrate(clean))).toBeCloseTo(1, 1)
  expect(calibrate(wild).error).toBeGreaterThan(0.3)
})

test('one measurement is enough for a factor, however large', () => {
  for (const factor of [0.1, 0.5, 3, 20]) {
    const [sample] = samplesOf(factor, factor, factor).slice(3)
    const calibration = calibrate([sample!])
    expect(calibration.error).toBeLessThan(0.02)
    expect(calibration.base / factor).toBeCloseTo(1, 1)
  }
})

test('the parts of a corrected step add up to it, and no step takes less than nothing', () => {
  const model = calibrated(modelOn(4), factors(0.8, 1.5, 2))
  for (const work of [
    { sequences: 0, contextTokens: 0, prefillTokens: 2048, prefillContextTokens: 1024 },
    { sequences: 1, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0 },
    { sequences: 0.25, contextTokens: 9, prefillTokens: 3, prefillContextTokens: 1 },
    { sequences: 64, contextTokens: 4000, prefillTokens: 512, prefillContextTokens: 1024 },
  ]) {
    const seconds = model.stepSeconds(work)
    expect(seconds).toBeGreaterThan(0)
    expect(model.parts(work).reduce((sum, part) => sum + part.seconds, 0)).toBeCloseTo(seconds, 9)
    const bound = { weights: 0, kv: 0, compute: 0, communication: 0, overhead: 0 }
    model.tally(work, 2, bound)
    expect(Object.values(bound).reduce((sum, part) => sum + part, 0)).toBeCloseTo(2 * seconds, 9)
  }
})
