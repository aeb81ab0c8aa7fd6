import { describe, expect, it } from 'vitest'
import { createConfiguration, findAccelerator, findModel, predictedSplitCurve } from '../../src/model/index.ts'
import { linesOfLaw } from '../../src/report/law-lines.ts'

describe('the limit of what is foretold', () => {
  const [model, gpu] = [findModel('llama-3.1-8b'), findAccelerator('h100-sxm')]
  const linesOf = (prefill: number, decode: number): string => {
    const { curve } = predictedSplitCurve({
      prefill: { count: prefill, tp: 1 },
      decode: { count: decode, tp: 1 },
      lengths: { inputTokens: 1024, outputTokens: 256 },
      configurationOf: (parallelism) => createConfiguration({ model, gpu, ...parallelism }),
    })
    return linesOfLaw(curve.fitted.fit, String).join('\n')
  }

  it('is that of those that read prompts where they end it, else of those that decode', () => {
    const [reading, decoding] = [linesOf(1, 8), linesOf(12, 1)]
    expect(reading).toMatch(/^The limit: with about \d+ that decode at once those that read prompts are busy/m)
    expect(reading).not.toContain('decodes at most')
    expect(decoding).toMatch(/^The server's limit: a replica decodes at most about \d+ at once\. More load waits/m)
    expect(decoding).not.toContain('that read prompts')
  })
})
