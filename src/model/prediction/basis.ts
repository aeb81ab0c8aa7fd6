import type { Confidence } from '../../core/index.ts'
import { type CalibrationSample, calibrate, calibrated } from '../roofline/calibrate.ts'
import { confidenceOf, evidenceOf } from '../roofline/confidence.ts'
import type { Configuration, Lengths } from '../roofline/configuration.ts'
import { createStepModel } from '../roofline/roofline.ts'
import type { StepModel } from '../roofline/step-model.ts'

/** What a prediction stands on: specifications, and measurements of neighbours where there are. */
interface Basis {
  readonly stepModelOf: (configuration: Configuration) => StepModel
  readonly confidenceOf: (configuration: Configuration) => Confidence
  readonly calibratedBy?: number
}

export function basisOf(lengths: Lengths, samples: readonly CalibrationSample[] = []): Basis {
  const calibration = calibrate(samples)
  const plain = samples.length === 0
  return {
    stepModelOf: (configuration) => {
      const model = createStepModel(configuration)
      return plain ? model : calibrated(model, calibration)
    },
    confidenceOf: (configuration) => confidenceOf(evidenceOf(configuration, lengths, samples, calibration.error)),
    ...(!plain && { calibratedBy: samples.length }),
  }
}
