import { describe, expect, it } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { splitLoop } from '../../../src/model/pools/split-loop.ts'
import { createSplitPools, type SplitRequest } from '../../../src/model/pools/split-pools.ts'
import { splitSamples } from '../../../src/model/pools/split-samples.ts'
import { calibrate, calibrated } from '../../../src/model/roofline/calibrate.ts'
import {
  type Configuration,
  createConfiguration,
  createStepModel,
  type StepModel,
} from '../../../src/model/roofline/index.ts'

const model = findModel('Llama-3.1-70B')
const gpu = findAccelerator('h100-sxm')

function request(count: number, inputTokens: number): SplitRequest {
  return {
    prefill: { count, tp: 4 },
    decode: { count: 1, tp: 8 },
    lengths: { inputTokens, outputTokens: 512 },
    configurationOf: (parallelism) => createConfiguration({ model, gpu, precision: 'fp8', ...parallelism }),
  }
}

/** A server whose steps all take longer than the datasheets say. */
function slower(factor: number): (configuration: Configuration) => StepModel {
  return (configuration) => {
    const known = createStepModel(configuration)
    return { ...known, stepSeconds: (work) => factor * known.stepSeconds(work) }
  }
}

describe('measurements of split pools', () => {
  it('calibrate other split pools', () => {
    const truth = (asked: SplitRequest, load: number) =>
      splitLoop(createSplitPools({ ...asked, stepModelOf: slower(1.4) }), load)
    const loads = [1, 8, 32, 64]
    const seen = loads.map((load) => {
      const { tokensPerSecondPerUser, ttftMs } = truth(request(2, 2048), load)
      return { load, tokensPerSecondPerUser, ttftMs }
    })
    const calibration = calibrate(splitSamples(request(2, 2048), seen))
    const stepModelOf = (configuration: Configuration): StepModel =>
      calibrated(createStepModel(configuration), calibration)
    for (const load of [2, 16, 48]) {
      const real = truth(request(3, 4096), load)
      const plain = splitLoop(createSplitPools(request(3, 4096)), load)
      const better = splitLoop(createSplitPools({ ...request(3, 4096), stepModelOf }), load)
      expect(better.tokensPerSecondPerUser / real.tokensPerSecondPerUser).toBeCloseTo(1, 1)
      expect(better.outputTokensPerSecond / real.outputTokensPerSecond).toBeCloseTo(1, 1)
      expect(plain.tokensPerSecondPerUser / real.tokensPerSecondPerUser).toBeGreaterThan(1.2)
    }
  })

  it('say nothing of the pace where there are none', () => {
    expect(splitSamples(request(2, 2048), [])).toEqual([])
  })
})
