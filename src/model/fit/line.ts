import { type Law, type PerSequence, type Place, prefillAt, timeOf, touchedShare } from '../law.ts'
import type { LoadPoint } from '../points.ts'
import { quadratic, type Row, type Solution, solveRelative } from './least-squares.ts'

/** What a law is fitted to: batch, step time, and how many measurements that time is the mean of. */
export interface Sample extends PerSequence {
  readonly batch: number
  readonly stepS: number
  readonly weight: number
}

/** What a law may be made of: a, b, c, d and the experts' m. */
export type Term = 'base' | 'perSequence' | 'kv' | 'prefill' | 'experts'

/** Of each term, how often a step takes it. */
const COLUMNS: Readonly<Record<Term, (at: Place, experts: Experts | undefined) => number>> = {
  base: () => 1,
  perSequence: ({ batch }) => batch,
  kv: ({ batch, contextTokens = 0 }) => (batch * contextTokens) / 1000,
  prefill: prefillAt,
  experts: ({ batch }, experts) => (experts === undefined ? 0 : touchedShare(experts, batch)),
}

/** Of an MoE: how many experts a token is sent to, of how many. */
export interface Experts {
  readonly active: number
  readonly all: number
}

/** Which terms a law is to have. */
export interface Form {
  readonly terms: readonly Term[]
  readonly experts?: Experts
}

export const AFFINE: Form = { terms: ['base', 'perSequence'] }

/** A fitted law with what is known of its error. It is a straight line in the batch, but for the experts'. */
export interface Line extends Law {
  readonly form: Form
  /** Terms that least squares wanted below 0. */
  readonly clamped: readonly Term[]
  /** Whether the samples tell all terms apart; if not, some are 0 for want of evidence. */
  readonly toldApart: boolean
  /** Relative standard deviation of one measurement about the law, never below `REPEAT_NOISE`. */
  readonly noise: number
  /** Degrees of freedom of the noise. */
  readonly freedom: number
  /** Half-widths of the 90 % intervals of the terms, in their seconds. */
  readonly errorS: Readonly<Partial<Record<Term, number>>>
  /** Relative standard deviation of one new measurement at this batch about the law, whose own error is in it. */
  deviation(batch: number, of?: PerSequence): number
  /** Log of the factor by which one new measurement at this batch may differ from the law, nine times in ten. */
  spread(batch: number, of?: PerSequence): number
  /** The share of its own value in what the law says at a sample that it was fitted to. */
  leverage(sample: Sample): number
}

/**
 * No set of points may claim to repeat better than this: among public runs of one configuration and engine version the spread of
 * repeats is 0.9 % in the median (91 configurations of InferenceX, 2025–26).
 */
const REPEAT_NOISE = 0.01

/**
 * The scatter about a law before any point is seen, for up to one degree of freedom tells next to nothing of it: 2 %, as in the public
 * sweeps (InferenceX, 2025–26; a straight line of dense models, with the experts' term of mixtures). It counts as one degree more.
 */
const USUAL_NOISE = 0.02

/** Batches closer than this are one batch: the slope between them would be noise. */
const LEAST_RANGE = 1.2

/** Points as least squares takes them, ascending by batch. */
export const samplesOf = (points: readonly LoadPoint[]): readonly Sample[] =>
  points.map(sampleOf).sort((a, b) => a.batch - b.batch)

function sampleOf({ batch, stepS, members, contextTokens, promptTokens, othersShare }: LoadPoint): Sample {
  return {
    batch,
    stepS,
    weight: members.length,
    ...(contextTokens !== undefined && { contextTokens }),
    ...(promptTokens !== undefined && { promptTokens }),
    ...(othersShare !== undefined && { othersShare }),
  }
}

/** Of a list of any length; `Math.min(...values)` would put them all on the stack. */
export function extent(values: readonly number[]): { readonly min: number; readonly max: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return { min, max }
}

/** Undefined when the batches do not differ enough to carry a slope, or the samples are fewer than the terms. */
export function fitLine(samples: readonly Sample[], form: Form = AFFINE): Line | undefined {
  const { min, max } = extent(samples.map((sample) => sample.batch))
  if (samples.length < form.terms.length || max < LEAST_RANGE * min) return undefined
  const columnsAt = (at: Place): number[] => form.terms.map((term) => COLUMNS[term](at, form.experts))
  const rows = samples.map((sample): Row => {
    const { stepS, weight } = sample
    return { columns: columnsAt(sample), stepS, weight }
  })
  const solution = solveRelative(rows)
  if (solution === undefined) return undefined
  const law = lawOf(form, solution)
  const squares = samples.reduce(
    (sum, sample) => sum + sample.weight * (sample.stepS / timeOf(law, sample) - 1) ** 2,
    0,
  )
  const seen = samples.length - form.terms.length
  const known = seen < 2 ? 1 : 0
  const freedom = seen + known
  const noise = Math.max(REPEAT_NOISE, Math.sqrt((squares + known * USUAL_NOISE ** 2) / freedom))
  const t = ninetyPercent(seen)
  const deviation = (batch: number, of: PerSequence = {}): number => {
    const at = { ...of, batch }
    return noise * Math.sqrt(1 + quadratic(solution.inverse, columnsAt(at)) / timeOf(law, at) ** 2)
  }
  const errors = form.terms.map((term, i) => [term, t * noise * Math.sqrt(solution.inverse[i]?.[i] ?? 0)] as const)
  return {
    ...law,
    form,
    clamped: solution.clamped.flatMap((i) => form.terms[i] ?? []),
    toldApart: solution.toldApart,
    noise,
    freedom,
    errorS: Object.fromEntries(errors),
    deviation,
    spread: (batch, of) => Math.min(5, t * deviation(batch, of)),
    leverage: (sample) =>
      (sample.weight / timeOf(law, sample) ** 2) * quadratic(solution.inverseInUse, columnsAt(sample)),
  }
}

function lawOf({ terms, experts }: Form, { terms: seconds }: Solution): Law {
  const of = (term: Term): number | undefined => seconds[terms.indexOf(term)]
  const [kv, prefill, touched] = [of('kv'), of('prefill'), of('experts')]
  return {
    baseS: of('base') ?? 0,
    perSequenceS: of('perSequence') ?? 0,
    ...(kv !== undefined && { perThousandKvTokensS: kv }),
    ...(prefill !== undefined && { perPrefillTokenS: prefill }),
    ...(touched !== undefined && experts !== undefined && { experts: { ...experts, seconds: touched } }),
  }
}

/**
 * Multiples of the noise that hold nine times in ten, by the degrees of freedom that the points leave. Without any, what held so of the
 * public sweeps. From one up Student's t of 95 %, one with the degree of the usual noise: the larger level pays for having looked at the
 * points before choosing which to use; `test/model/fit/fit.test.ts` counts that it does.
 */
const T = [2.92, 4.303, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]

/** Tabled to ten, then Fisher's expansion of t about the normal quantile, good to three digits there. */
function ninetyPercent(seen: number): number {
  const z = 1.959964
  return T[seen] ?? z + (z ** 3 + z) / (4 * seen) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * seen ** 2)
}
