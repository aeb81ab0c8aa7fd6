import type { Lengths } from './configuration.ts'
import type { StepModel, StepWork } from './step-model.ts'

/** A step of one stream alone, what it reads of the weights, and the least time that takes at the bandwidth of the datasheet. */
interface BandwidthBound {
  readonly step: StepWork
  readonly bytes: number
  readonly seconds: number
}

/** One token a step, in the middle of its answer. */
export function bandwidthBound(model: StepModel, { inputTokens, outputTokens }: Lengths): BandwidthBound {
  const step = {
    sequences: 1,
    contextTokens: inputTokens + outputTokens / 2,
    prefillTokens: 0,
    prefillContextTokens: 0,
  }
  const bytes = model.parts(step).reduce((sum, part) => sum + (part.binds === 'weights' ? part.bytes : 0), 0)
  return { step, bytes, seconds: bytes / model.configuration.gpu.memoryBytesPerSecond }
}
