import type { Confidence, PredictedLoad } from '../../core/index.ts'
import type { Accelerator } from '../catalogue/accelerator.ts'
import type { PredictedPoint } from '../roofline/closed-loop.ts'

/** All that a predicted point lacks for what it costs and how sure it is. */
interface Setting {
  readonly gpu: Accelerator
  readonly gpus: number
  readonly confidence: Confidence
  /** Of one GPU. */
  readonly pricePerHour?: number
}

const SECONDS_PER_HOUR = 3600

export function predictedLoad(point: PredictedPoint, setting: Setting): PredictedLoad {
  const { load, tokensPerSecondPerUser, outputTokensPerSecond, ttftMs, tpotMs, binding, bindingShare } = point
  const { gpu, gpus, confidence, pricePerHour } = setting
  return {
    concurrency: load,
    tokensPerSecondPerUser,
    outputTokensPerSecond,
    tokensPerSecondPerGpu: outputTokensPerSecond / gpus,
    source: 'predicted',
    low: confidence.low * tokensPerSecondPerUser,
    high: confidence.high * tokensPerSecondPerUser,
    class: confidence.class,
    ttftMs,
    tpotMs,
    binding,
    bindingShare,
    ...(pricePerHour !== undefined && {
      cost: { perMillionOutputTokens: (1e6 * gpus * pricePerHour) / (SECONDS_PER_HOUR * outputTokensPerSecond) },
    }),
    ...(gpu.powerW !== undefined && {
      energy: { joulesPerOutputToken: (gpus * gpu.powerW) / outputTokensPerSecond },
    }),
  }
}

/** 1, 2, 4, … and at last as many as are served at once. */
export function loadsUpTo(most: number): readonly number[] {
  const loads: number[] = []
  for (let load = 1; load < most; load *= 2) loads.push(load)
  return [...loads, most]
}
