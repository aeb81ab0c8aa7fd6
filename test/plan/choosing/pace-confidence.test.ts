import { describe, expect, it } from 'vitest'
import { chooseAmong, evidenceOfRows, type Product } from '../../../src/plan/index.ts'
import { candidateOf, evidenceOfLine, LESSON } from '../../support/candidates.ts'

const pace = (tokensPerSecond: number): Product => ({ name: 'test', goal: 'pace', tokensPerSecond })
const scattered = evidenceOfRows(
  [1, 4, 16, 64, 128].map((concurrency, i) => ({
    concurrency,
    outputTokensPerSecond: concurrency / ((0.005 + 0.00025 * concurrency) * (1 + 0.01 * (-1) ** i)),
  })),
  { gpus: 1 },
)

describe('how sure a pace is', () => {
  it('measured at the load, within what a measurement repeats to', () => {
    const { confidence, choice } = chooseAmong([candidateOf('one', evidenceOfLine(LESSON))], pace(100))
    expect(choice).toMatchObject({ concurrency: 20, source: 'measured' })
    expect(confidence).toMatchObject({ class: 'measured' })
    expect(confidence?.low).toBeCloseTo(100 / 1.02, 9)
    expect(confidence?.high).toBeCloseTo(102, 9)
    expect(confidence?.sentence).toContain('98 to 102 tok/s/user')
  })

  it('between two that were: nine measurements in ten, by the scatter about the law', () => {
    const { confidence, choice } = chooseAmong([candidateOf('one', scattered)], pace(40))
    expect(choice.source).toBe('fitted')
    expect(confidence).toMatchObject({ class: 'interpolated', low: choice.low, high: choice.high })
    expect(confidence?.sentence).toContain('nine measurements in ten')
  })

  it('outside them wider, and by a law alone of no width that anybody knows', () => {
    const outside = chooseAmong([candidateOf('one', scattered)], pace(15))
    expect(outside.confidence).toMatchObject({ class: 'extrapolated', low: outside.choice.low })
    const { low = 0, high = 0 } = outside.confidence ?? {}
    const inside = chooseAmong([candidateOf('one', scattered)], pace(40)).confidence
    expect(high / low).toBeGreaterThan((inside?.high ?? 0) / (inside?.low ?? 1))
    const alone = evidenceOfRows([], { law: { baseS: 0.005, perSequenceS: 0.00025 } })
    expect(chooseAmong([candidateOf('law', alone, { kind: 'law' })], pace(50)).confidence).toEqual({
      class: 'extrapolated',
      sentence: 'The pace is by the law alone: nothing measured says how near it is.',
    })
  })

  it.each([
    ['newShape', 'other lengths or of another layout'],
    ['uncalibrated', 'datasheets alone'],
    ['interpolated', 'measurements of just this'],
  ] as const)('of a prediction that is %s it says from what', (standing, words) => {
    const { confidence } = chooseAmong([candidateOf('one', { ...scattered, standing })], pace(40))
    expect(confidence?.class).toBe(standing)
    expect(confidence?.sentence).toContain(words)
    expect(confidence?.sentence).toContain('eight measurements in ten')
  })
})
