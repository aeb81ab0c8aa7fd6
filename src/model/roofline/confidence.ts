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
      readonly distance: Distance
    }
  | {
      /** Specifications alone. */
      readonly class: 'uncalibrated'
      /** Whether the public sweeps hold accelerators of its maker. */
      readonly swept: boolean
    }
)

/** How far a measured sweep is from what is asked, in doublings or halvings. */
interface Distance {
  /** Of input and output tokens together. */
  readonly lengths: number
  /** Of the GPUs of a replica; 1 for a layout that differs otherwise. */
  readonly layout: number
}

/** What was measured for a prediction, `error` being what the calibrated model misses of it; or that nothing was. */
export function evidenceOf(
  configuration: Configuration,
  lengths: Lengths,
  samples: readonly CalibrationSample[] = [],
  error = 0,
): Evidence {
  const experts = configuration.model.experts !== undefined
  const [distance] = samples
    .map((sample) => distanceOf(configuration, lengths, sample))
    .sort((a, b) => offBy(a, experts) - offBy(b, experts))
  if (distance === undefined) return { class: 'uncalibrated', experts, swept: SWEPT.has(configuration.gpu.vendor) }
  return distance.lengths + distance.layout === 0
    ? { class: 'interpolated', experts, error }
    : { class: 'newShape', experts, error, distance }
}

function distanceOf(asked: Configuration, lengths: Lengths, { model, lengths: measured }: CalibrationSample): Distance {
  const doublings = (a: number, b: number): number => Math.abs(Math.log2(a / b))
  const [here, there] = [asked.parallelism, model.configuration.parallelism]
  const same = (['tp', 'pp', 'ep', 'dp'] as const).every((key) => here[key] === there[key])
  return {
    lengths:
      doublings(lengths.inputTokens, measured.inputTokens) + doublings(lengths.outputTokens, measured.outputTokens),
    layout: same ? 0 : Math.max(1, doublings(here.tp * here.pp * here.dp, there.tp * there.pp * there.dp)),
  }
}

/**
 * Half-widths of intervals as logarithms of a factor on the pace, so that they hold 80 of 100 points of the public sweeps that
 * docs/reference/model-accuracy.md names, each foretold without having been seen (quantile regression). Models without experts,
 * and with: there routing, and drafts of tokens that the tables do not tell of, move the pace more.
 */
const HALF_WIDTHS = {
  dense: { measured: 0.025, neighbour: 0.09, lengths: 0.015, layout: 0.03, specifications: 0.205 },
  experts: { measured: 0.035, neighbour: 0.07, lengths: 0.027, layout: 0.135, specifications: 0.285 },
} as const

/** Whose accelerators those sweeps ran on. */
const SWEPT: ReadonlySet<string> = new Set(['NVIDIA'])

/**
 * Of others only static batches were published, by engines of 2024 (LLM-Inference-Bench: MI250, MI300X, Gaudi2): they reached a fifth
 * to all of the pace that specifications promise, for want of kernels and not of hardware.
 */
const UNSWEPT = { low: 0.2, high: 1.25 } as const

const offBy = ({ lengths, layout }: Distance, experts: boolean): number => {
  const widths = HALF_WIDTHS[experts ? 'experts' : 'dense']
  return lengths * widths.lengths + layout * widths.layout
}

/** Where the pace of eight measurements in ten would lie, as factors on the predicted one. */
export function confidenceOf(evidence: Evidence): Confidence {
  if (evidence.class === 'uncalibrated' && !evidence.swept) return { class: evidence.class, ...UNSWEPT }
  const width = halfWidthOf(evidence)
  return { class: evidence.class, low: Math.exp(-width), high: Math.exp(width) }
}

/** What a calibrated model misses of its own samples and what the way to another shape adds are independent. */
function halfWidthOf(evidence: Evidence): number {
  const widths = HALF_WIDTHS[evidence.experts ? 'experts' : 'dense']
  if (evidence.class === 'uncalibrated') return widths.specifications
  if (evidence.class === 'interpolated') return Math.hypot(evidence.error, widths.measured)
  return Math.hypot(evidence.error, widths.neighbour + offBy(evidence.distance, evidence.experts))
}
