import type { Lengths } from './configuration.ts'
import { decodeStep, type StepModel, type StepWork } from './step-model.ts'

/** A step of one stream alone, what it reads of the weights, and the least time that takes at the bandwidth of the datasheet. */
interface BandwidthBound {
  readonly step: StepWork
  readonly bytes: number
  readonly seconds: number
}

/** One token a step, in the middle of its answer. */
export function bandwidthBound(model: StepModel, lengths: Lengths): BandwidthBound {
  const step = decodeStep(1, lengths)
  const bytes = model.parts(step).reduce((sum, part) => sum + (part.binds === 'weights' ? part.bytes : 0), 0)
  return { step, bytes, seconds: bytes / model.configuration.gpu.memoryBytesPerSecond }
}
