import { describe, expect, it } from 'vitest'
import { createCurve, fitLaw, type Law, type LoadPoint, stepSeconds } from '../../../src/model/index.ts'

const LAW: Law = { baseS: 0.01, perSequenceS: 0.001, perPrefillTokenS: 0.00005 }

/**
 * A closed loop of n users whose answers have N tokens. In a cycle each of them reads one prompt and decodes N − 1 steps; a stream meets
 * the prompts of the n − 1 others, as many as fall in the time that it decodes.
 */
function sweepOf(input: number, output: number, loads: readonly number[]): readonly LoadPoint[] {
  return loads.map((load, index) => {
    // Nine tenths decode; the rest is being read.
    const batch = load === 1 ? 1 : 0.9 * load
    const met = ((batch * (load - 1)) / load) * (input / (output - 1))
    const stepS = stepSeconds(LAW, { batch, prefillTokens: met })
    return {
      members: [index],
      load,
      batch,
      stepS,
      outputTokensPerSecond: batch / stepS,
      contextTokens: input + output / 2,
      promptTokens: input / (output - 1),
      othersShare: 1 - 1 / load,
    }
  })
}

describe('the prefill term', () => {
  const points = [...sweepOf(2000, 32, [1, 2, 4, 8, 16]), ...sweepOf(200, 64, [1, 2, 4, 8, 16])]

  it('is found by what a stream meets of others, and is no cost of context', () => {
    const { fit } = fitLaw(points)
    expect(fit).toMatchObject({ law: 'prefill', reliable: true })
    expect(fit.stepMs?.perPrefillToken).toBeCloseTo(0.05, 6)
    expect(fit.stepMs?.base).toBeCloseTo(10, 6)
    expect(fit.stepMs?.perSequence).toBeCloseTo(1, 6)
    // A user alone meets no prompt.
    expect(fit.soloTokensPerSecond).toBeCloseTo(1000 / 11, 6)
  })

  it('stays in the terms of the batch where there is but one length', () => {
    expect(fitLaw(points.slice(5)).fit.law).toBe('affine')
  })

  it('foretells a load between two by the users there', () => {
    const curve = createCurve(points.slice(0, 5), fitLaw(points))
    const [truth] = sweepOf(2000, 32, [12])
    expect((curve.at(12)?.tokensPerSecondPerUser ?? 0) * (truth?.stepS ?? 0)).toBeCloseTo(1, 6)
  })
})
