import { expect, test } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { confidenceOf, evidenceOf } from '../../../src/model/roofline/confidence.ts'
import { createConfiguration } from '../../../src/model/roofline/configuration.ts'
import { memoryOf } from '../../../src/model/roofline/memory.ts'
import { createStepModel } from '../../../src/model/roofline/roofline.ts'

const LENGTHS = { inputTokens: 1024, outputTokens: 1024 }
const on = (model: string, tp: number) =>
  createConfiguration({ model: findModel(model), gpu: findAccelerator('h200'), tp, precision: 'fp8' })

const sampleOf = (tp: number, lengths = LENGTHS) => {
  const configuration = on('llama-3.1-70b', tp)
  const model = createStepModel(configuration)
  return { model, memory: memoryOf(configuration, lengths), lengths, load: 8, tokensPerSecondPerUser: 50 }
}
const widthOf = (evidence: Parameters<typeof confidenceOf>[0]): number => {
  const { low, high } = confidenceOf(evidence)
  expect(low).toBeGreaterThan(0)
  expect(low).toBeLessThan(1)
  expect(high).toBeGreaterThan(1)
  return high / low
}

test('the class says what was measured', () => {
  const asked = on('llama-3.1-70b', 4)
  expect(evidenceOf(asked, LENGTHS).class).toBe('uncalibrated')
  expect(evidenceOf(asked, LENGTHS, [sampleOf(8)], 0.02).class).toBe('newShape')
  expect(evidenceOf(asked, LENGTHS, [sampleOf(4, { inputTokens: 8192, outputTokens: 1024 })], 0.02).class).toBe(
    'newShape',
  )
  expect(evidenceOf(asked, LENGTHS, [sampleOf(8), sampleOf(4)], 0.02).class).toBe('interpolated')
})

test('the farther from what was measured, the wider', () => {
  const asked = on('llama-3.1-70b', 8)
  const widths = [
    evidenceOf(asked, LENGTHS, [sampleOf(8)], 0.02),
    evidenceOf(asked, LENGTHS, [sampleOf(4)], 0.02),
    evidenceOf(asked, LENGTHS, [sampleOf(2)], 0.02),
    evidenceOf(asked, LENGTHS),
  ].map(widthOf)
  expect(widths).toEqual(widths.toSorted((a, b) => a - b))
  expect(widths[0]).toBeLessThan(widths[3]!)
})

test('where no sweep of the maker was published, less is promised', () => {
  const amd = createConfiguration({ model: findModel('llama-3.1-70b'), gpu: findAccelerator('mi300x'), tp: 4 })
  expect(widthOf(evidenceOf(amd, LENGTHS))).toBeGreaterThan(2 * widthOf(evidenceOf(on('llama-3.1-70b', 4), LENGTHS)))
})

test('experts make it wider', () => {
  expect(widthOf(evidenceOf(on('qwen3-235b-a22b', 4), LENGTHS))).toBeGreaterThan(
    widthOf(evidenceOf(on('llama-3.1-70b', 4), LENGTHS)),
  )
})
