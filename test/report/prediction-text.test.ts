import { describe, expect, it } from 'vitest'
import type { Prediction } from '../../src/core/index.ts'
import { createConfiguration, findAccelerator, findModel, predict } from '../../src/model/index.ts'
import { predictionText } from '../../src/report/index.ts'

const lengths = { inputTokens: 1024, outputTokens: 256 }
const predicted = (tp: number): Prediction =>
  predict(
    createConfiguration({
      model: findModel('Llama-3.1-8B'),
      gpu: findAccelerator('h100-sxm'),
      precision: 'bf16',
      tp,
    }),
    { lengths, loads: [1, 64] },
  )

describe('a prediction in text', () => {
  it('has a column per GPU only where there are several', () => {
    expect(predictionText(predicted(2))).toContain('per GPU')
    expect(predictionText(predicted(1))).not.toContain('per GPU')
  })

  it('has no energy where the power of a GPU is not known', () => {
    const prediction = predicted(1)
    const without = prediction.frontier.map(({ energy, ...point }) => point)
    expect(predictionText(prediction)).toContain('J/token')
    expect(predictionText({ ...prediction, frontier: without })).not.toMatch(/J\/token|Energy/)
  })

  it('counts one request and one point as one', () => {
    const { memory, ...prediction } = predicted(1)
    const alone = { ...prediction, memory: { ...memory, maxConcurrency: 1 }, calibratedBy: 1 }
    const text = predictionText(alone)
    expect(text).toContain('1 such request at once')
    expect(text).toContain('(1 point)')
    expect(predictionText({ ...alone, memory, calibratedBy: 2 })).toMatch(/such requests at once(.|\n)*\(2 points\)/)
  })

  it.each([
    ['interpolated', /this very configuration was measured at these lengths \(3 points\)/],
    ['newShape', /a new shape, scaled by measurements of a neighbour.*\(3 points\)/],
  ] as const)('says of %s what it stands on', (name, words) => {
    const prediction: Prediction = {
      ...predicted(1),
      confidence: { class: name, low: 0.9, high: 1.1, ttft: { low: 0.5, high: 2 } },
      calibratedBy: 3,
    }
    const text = predictionText(prediction)
    expect(text).toMatch(words)
    expect(text).toContain('eight in ten had 0.9 to 1.1 times the pace predicted')
    expect(text).toContain('docs/reference/model-accuracy.md')
  })

  it('says of which line the interval is, and what each stands on, where they differ', () => {
    const prediction = predicted(1)
    const [one] = prediction.frontier
    const far = { ...one!, high: 1.5 * one!.high, class: 'newShape' as const }
    const same = predictionText({ ...prediction, frontier: [one!, one!] })
    expect(same).toContain('How far to trust it: uncalibrated')
    expect(same).not.toContain('known')
    const text = predictionText({ ...prediction, frontier: [one!, far] })
    expect(text).toContain('How far to trust it: of the least sure of these lines, ')
    expect(text).toMatch(/known/)
    expect(text).toMatch(/^.* to .*new shape/m)
  })

  it('names the ways a replica is cut, but not those that it is not', () => {
    const prediction = predicted(2)
    const hardware = { ...prediction.hardware, gpus: 16, tp: 1, ep: 16, dp: 16 }
    expect(predictionText(prediction)).toContain('on 2 × h100-sxm (TP 2).')
    expect(predictionText({ ...prediction, hardware })).toContain('on 16 × h100-sxm (TP 1, EP 16, DP 16).')
  })

  it('counts one token as one', () => {
    const prediction = predicted(1)
    expect(predictionText({ ...prediction, lengths: { input: 1, output: 256 } })).toContain('1 token in and 256 out')
  })
})
