import type { Confidence } from '../../core/index.ts'
import type { Calibration, CalibrationSample } from './calibrate.ts'
import { type Configuration, gpusOf, type Lengths } from './configuration.ts'

/** What is foretold: one load of a shape. */
export interface Asked {
  readonly configuration: Configuration
  readonly lengths: Lengths
  /** Requests in flight, of one replica; of split pools, of one instance that answers. */
  readonly load: number
  /** What split pools are called; absent where one engine both reads and answers. */
  readonly pools?: string
}

/** What a prediction stands on. */
export type Evidence = { readonly experts: boolean } & (
  | {
      /** Measurements of the very configuration at these lengths, or of a neighbour. */
      readonly class: 'interpolated' | 'newShape'
      readonly told: Told
      readonly distance: Distance
    }
  | {
      /** Specifications alone. */
      readonly class: 'uncalibrated'
      /** Whether the public sweeps hold accelerators of its maker. */
      readonly swept: boolean
    }
)

/** What the nearest measured shape tells of the load that is asked for. */
interface Told {
  /** By how much the calibrated model misses what was measured, as a logarithm. */
  readonly error: number
  /** How many loads were measured. */
  readonly loads: number
  /** Doublings from the load asked for to the nearest of them. */
  readonly gap: number
  /** Of more than one: on which side of all of them the load lies, since there is no further one behind the nearest. */
  readonly outside?: 'above' | 'below'
  /** Whether the wait for a first token was measured too. */
  readonly firstToken: boolean
  /** Doublings from one request to that one. At a high load alone one cannot tell what weights, streams and prompts each take. */
  readonly height: number
}

/** How far a measured sweep is from what is asked, in doublings or halvings. */
interface Distance {
  /** Of input and output tokens together. */
  readonly lengths: number
  /** Of the GPUs of a replica; 1 for a layout that differs otherwise. */
  readonly layout: number
  /** 1 where weights or the KV cache are in another format, whose kernels are other ones. */
  readonly format: number
}

/** What was measured for a prediction, or that nothing was. */
export function evidenceOf(
  asked: Asked,
  samples: readonly CalibrationSample[] = [],
  calibration: Pick<Calibration, 'error' | 'misses'> = { error: 0, misses: [] },
): Evidence {
  const { model, gpu } = asked.configuration
  const experts = model.experts !== undefined
  const away = samples.map((sample, i) => {
    const distance = distanceOf(asked, sample)
    return { sample, distance, by: offBy(distance, experts), miss: Math.abs(calibration.misses[i] ?? 0) }
  })
  const least = Math.min(...away.map(({ by }) => by))
  const nearest = away.filter(({ by }) => by === least)
  const [one] = nearest
  if (one === undefined) return { class: 'uncalibrated', experts, swept: SWEPT.has(gpu.vendor) }
  const measured = new Map<number, number>()
  for (const { sample, miss } of nearest) {
    const load = sample.load / (sample.pools?.instances ?? 1)
    measured.set(load, Math.max(measured.get(load) ?? 0, miss))
  }
  const firstToken = samples.some(({ ttftMs }) => ttftMs !== undefined)
  const told = { ...toldOf(asked.load, measured), firstToken }
  const same = least === 0
  const error = same ? Math.max(calibration.error, told.error) : calibration.error
  return { class: same ? 'interpolated' : 'newShape', experts, told: { ...told, error }, distance: one.distance }
}

const doublings = (a: number, b: number): number => Math.abs(Math.log2(a / b))

/** `measured` is the greatest miss of each load. Between two of them a miss is in proportion to the distance from either. */
function toldOf(load: number, measured: ReadonlyMap<number, number>): Omit<Told, 'firstToken'> {
  const near = [...measured].map(([at, miss]) => ({ at, miss, gap: doublings(load, at) })).sort((a, b) => a.gap - b.gap)
  const [first] = near
  const { at = 1, miss = 0, gap = 0 } = first ?? {}
  // The nearest on the other side, where there is one.
  const beyond = near.find((other) => (other.at - load) * (at - load) < 0)
  const error = beyond === undefined ? miss : miss + ((beyond.miss - miss) * gap) / (gap + beyond.gap)
  const outside = measured.size > 1 && gap > 0 && beyond === undefined
  return {
    error,
    loads: measured.size,
    gap,
    ...(outside && { outside: load > at ? 'above' : 'below' }),
    height: Math.log2(Math.max(1, at)),
  }
}

function distanceOf({ configuration, lengths, pools }: Asked, sample: CalibrationSample): Distance {
  const other = sample.model.configuration
  const [here, there] = [configuration.parallelism, other.parallelism]
  const same =
    pools === sample.pools?.name && (['tp', 'pp', 'ep', 'dp'] as const).every((key) => here[key] === there[key])
  return {
    lengths:
      doublings(lengths.inputTokens, sample.lengths.inputTokens) +
      doublings(lengths.outputTokens, sample.lengths.outputTokens),
    layout: same ? 0 : Math.max(1, doublings(gpusOf(here), gpusOf(there))),
    format: isSameFormat(configuration, other) ? 0 : 1,
  }
}

export const isSameFormat = (a: Configuration, b: Configuration): boolean =>
  a.precision === b.precision && a.kvPrecision === b.kvPrecision

/**
 * Half-widths of intervals as logarithms of a factor on the pace, so that they hold 80 of 100 points of the public sweeps that
 * docs/reference/model-accuracy.md names, each foretold without having been seen (quantile regression, by one load of a sweep, by its
 * ends, by three loads and by all). Models without experts, and with: there routing, and drafts of tokens that the tables do not tell
 * of, move the pace more. `gap` and `height` are for each doubling, from one load alone; `above` and `below` for each doubling beyond all of several loads,
 * where more of them help no more; `lengths` and `layout` for each doubling too.
 */
const HALF_WIDTHS = {
  dense: {
    measured: 0.012,
    gap: 0.039,
    above: 0.062,
    below: 0.04,
    height: 0.015,
    neighbour: 0.08,
    lengths: 0.014,
    layout: 0.028,
    format: 0.08,
    specifications: 0.205,
  },
  experts: {
    measured: 0.014,
    gap: 0.047,
    above: 0.072,
    below: 0.05,
    height: 0.016,
    neighbour: 0.08,
    lengths: 0.022,
    layout: 0.121,
    format: 0.27,
    specifications: 0.285,
  },
} as const

/** Whose accelerators those sweeps ran on. */
const SWEPT: ReadonlySet<string> = new Set(['NVIDIA'])

/**
 * Of others only static batches were published, by engines of 2024 (LLM-Inference-Bench: MI250, MI300X, Gaudi2): they reached a fifth
 * to all of the pace that specifications promise, for want of kernels and not of hardware.
 */
const UNSWEPT = { low: 0.2, high: 1.25 } as const

const offBy = ({ lengths, layout, format }: Distance, experts: boolean): number => {
  const widths = HALF_WIDTHS[experts ? 'experts' : 'dense']
  return lengths * widths.lengths + layout * widths.layout + format * widths.format
}

/**
 * The same of the time to the first token, as factors on the predicted one: a tenth and nine tenths of the same points. Their benchmarks
 * send all their first requests at once, and engines let prompts wait; specifications know of neither, a calibrated model of both, near the
 * loads of its samples. `gap` is the logarithm for each doubling from there, from one load alone.
 */
const FIRST_TOKEN = {
  dense: {
    interpolated: { low: 0.82, high: 1.15 },
    newShape: { low: 0.64, high: 1.55 },
    uncalibrated: { low: 0.91, high: 6.7 },
  },
  experts: {
    interpolated: { low: 0.74, high: 1.12 },
    newShape: { low: 0.52, high: 1.9 },
    uncalibrated: { low: 0.92, high: 8.9 },
  },
  gap: 0.33,
} as const

function firstTokenOf(evidence: Evidence): Confidence['ttft'] {
  const widths = FIRST_TOKEN[evidence.experts ? 'experts' : 'dense']
  if (evidence.class === 'uncalibrated') {
    const { low, high } = widths.uncalibrated
    return evidence.swept ? { low, high } : { low: low / UNSWEPT.high, high: high / UNSWEPT.low }
  }
  if (!evidence.told.firstToken) return widths.uncalibrated
  const { low, high } = widths[evidence.class]
  const farther = Math.exp((evidence.told.gap * FIRST_TOKEN.gap) / evidence.told.loads ** 1.5)
  return { low: low / farther, high: high * farther }
}

/** Where the pace of eight measurements in ten would lie, as factors on the predicted one. */
export function confidenceOf(evidence: Evidence): Confidence {
  const ttft = firstTokenOf(evidence)
  if (evidence.class === 'uncalibrated' && !evidence.swept) return { class: evidence.class, ...UNSWEPT, ttft }
  const width = halfWidthOf(evidence)
  return { class: evidence.class, low: Math.exp(-width), high: Math.exp(width), ttft }
}

/**
 * What a calibrated model misses of its own samples, what the way from their loads adds, and what the way to another shape adds are
 * independent. The way from few loads is longer: with L of them by L^−1.5.
 */
function halfWidthOf(evidence: Evidence): number {
  const widths = HALF_WIDTHS[evidence.experts ? 'experts' : 'dense']
  if (evidence.class === 'uncalibrated') return widths.specifications
  const { told, distance } = evidence
  const { gap, outside, height } = told
  const few = told.loads ** -1.5
  const way = outside === undefined ? gap * widths.gap * few : gap * widths[outside]
  const loads = widths.measured + way + height * widths.height * few
  const shape = evidence.class === 'interpolated' ? 0 : widths.neighbour + offBy(distance, evidence.experts)
  return Math.hypot(told.error, loads, shape)
}

/** Where nothing was measured. */
export const confidenceOfSpecifications = ({ model, gpu }: Configuration): Confidence =>
  confidenceOf({ class: 'uncalibrated', experts: model.experts !== undefined, swept: SWEPT.has(gpu.vendor) })

/** The least sure; undefined of none. */
export function widest(confidences: readonly Confidence[]): Confidence | undefined {
  return confidences.reduce<Confidence | undefined>(
    (most, one) => (most === undefined || one.high / one.low > most.high / most.low ? one : most),
    undefined,
  )
}
