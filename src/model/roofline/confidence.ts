import type { Confidence } from '../../core/index.ts'
import type { CalibrationSample } from './calibrate.ts'
import type { Configuration, Lengths } from './configuration.ts'

/** What a prediction stands on. */
export type Evidence = { readonly experts: boolean } & (
  | {
      /** Measurements of the very configuration at these lengths. */
      readonly class: 'interpolated'
      /** By how much the calibrated model misses them: `Calibration.error`. */
      readonly error: number
    }
  | {
      /** Measurements of a neighbour. */
      readonly class: 'newShape'
      readonly error: number
      /** See `distanceOf`. */
      readonly distance: number
    }
  /** Specifications alone. */
  | { readonly class: 'uncalibrated' }
)

/** What was measured for a prediction, `error` being what the calibrated model misses of it; or that nothing was. */
export function evidenceOf(
  configuration: Configuration,
  lengths: Lengths,
  samples: readonly CalibrationSample[] = [],
  error = 0,
): Evidence {
  const experts = configuration.model.experts !== undefined
  if (samples.length === 0) return { class: 'uncalibrated', experts }
  const distance = samples
    .map((sample) => distanceOf(configuration, lengths, sample))
    .reduce((least, next) => Math.min(least, next))
  return distance === 0 ? { class: 'interpolated', experts, error } : { class: 'newShape', experts, error, distance }
}

/** How often lengths and GPUs were doubled or halved between a measured sweep and what is asked; 1 for a layout that differs otherwise. */
function distanceOf(asked: Configuration, lengths: Lengths, { model, lengths: measured }: CalibrationSample): number {
  const doublings = (a: number, b: number): number => Math.abs(Math.log2(a / b))
  const [here, there] = [asked.parallelism, model.configuration.parallelism]
  const gpus = doublings(here.tp * here.pp * here.dp, there.tp * there.pp * there.dp)
  const same = (['tp', 'pp', 'ep', 'dp'] as const).every((key) => here[key] === there[key])
  return (
    doublings(lengths.inputTokens, measured.inputTokens) +
    doublings(lengths.outputTokens, measured.outputTokens) +
    (same ? 0 : Math.max(1, gpus))
  )
}

/**
 * Half-widths, as logarithms of a factor on the pace, that held 80 of 100 points of public sweeps which the model had not seen
 * (`docs/reference/model-accuracy.md`). Models without experts, and with: there routing, and drafts of tokens that the tables do not
 * tell of, move the pace of one configuration more than a layout does.
 */
const HALF_WIDTHS = {
  interpolated: { dense: 0.05, experts: 0.1 },
  newShape: { dense: 0.15, experts: 0.3 },
  uncalibrated: { dense: 0.3, experts: 0.4 },
} as const

/** Where the pace of eight measurements in ten would lie, as factors on the predicted one. */
export function confidenceOf(evidence: Evidence): Confidence {
  const width = HALF_WIDTHS[evidence.class][evidence.experts ? 'experts' : 'dense']
  return { class: evidence.class, low: Math.exp(-width), high: Math.exp(width) }
}
