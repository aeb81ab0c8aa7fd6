import type { Confidence } from '../../core/index.ts'
import { type Calibration, type CalibrationSample, calibrate, calibrated } from '../roofline/calibrate.ts'
import { type Asked, confidenceOf, evidenceOf } from '../roofline/confidence.ts'
import type { Configuration, Lengths } from '../roofline/configuration.ts'
import { createStepModel } from '../roofline/roofline.ts'
import type { StepModel } from '../roofline/step-model.ts'
import { notesOn, refuseImpossible } from './measured-samples.ts'

/** What a prediction stands on: specifications, and measurements of neighbours where there are. */
interface Basis {
  readonly stepModelOf: (configuration: Configuration) => StepModel
  /** At a load of one replica; of split pools, of one instance that answers. */
  readonly confidenceOf: (asked: Omit<Asked, 'lengths'>) => Confidence
  /** What to mind about the measurements, one sentence each. */
  readonly notesFor: (configuration: Configuration) => readonly string[]
  readonly calibratedBy?: number
}

/** Throws INVALID_POINTS where one of the samples cannot have been measured. */
export function basisOf(lengths: Lengths, samples: readonly CalibrationSample[] = []): Basis {
  const calibration = calibrationOf(samples)
  const plain = samples.length === 0
  return {
    stepModelOf: (configuration) => {
      const model = createStepModel(configuration)
      return plain ? model : calibrated(model, calibration)
    },
    confidenceOf: (asked) => confidenceOf(evidenceOf({ ...asked, lengths }, samples, calibration)),
    notesFor: (configuration) => notesOn(samples, calibration, configuration),
    ...(!plain && { calibratedBy: samples.length }),
  }
}

const KNOWN = new WeakMap<readonly CalibrationSample[], Calibration>()

/** The same samples stand behind every layout of a search. */
function calibrationOf(samples: readonly CalibrationSample[]): Calibration {
  const known = KNOWN.get(samples)
  if (known !== undefined) return known
  refuseImpossible(samples)
  const calibration = calibrate(samples)
  KNOWN.set(samples, calibration)
  return calibration
}
