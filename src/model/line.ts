/** What a line is fitted to: batch, step time, and how many measurements that time is the mean of. */
export interface Sample {
  readonly batch: number
  readonly stepS: number
  readonly weight: number
}

/** T(B) = base + perSequence·B with what is known of its error. */
export interface Line {
  readonly baseS: number
  readonly perSequenceS: number
  /** The term that least squares wanted below 0: no step takes less than nothing, so it is 0 and the other was fitted alone. */
  readonly clamped?: 'base' | 'perSequence'
  /** Relative standard deviation of one measurement about the line, never below `REPEAT_NOISE`. */
  readonly noise: number
  /** Half-widths of the 90 % intervals of the two terms. */
  readonly baseErrorS: number
  readonly perSequenceErrorS: number
  /** Log of the factor by which one new measurement at this batch may differ from the line, nine times in ten. */
  spread(batch: number): number
}

/**
 * No set of points may claim to repeat better than this: among public runs of one configuration and engine version the spread of
 * repeats is 0.9 % in the median (91 configurations of InferenceX, 2025–26).
 */
const REPEAT_NOISE = 0.01

/** Batches closer than this are one batch: the slope between them would be noise. */
const LEAST_RANGE = 1.2

export function predict(line: { readonly baseS: number; readonly perSequenceS: number }, batch: number): number {
  return line.baseS + line.perSequenceS * batch
}

interface Moments {
  readonly weight: number
  readonly batch: number
  readonly stepS: number
  readonly spread: number
  readonly slope: number
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

/** Centred sums, so that a large common part of the batches costs no digits. */
function moments(samples: readonly Sample[], weights: readonly number[]): Moments {
  let weight = 0
  let batch = 0
  let stepS = 0
  samples.forEach((sample, i) => {
    const w = weights[i] ?? 0
    weight += w
    batch += w * sample.batch
    stepS += w * sample.stepS
  })
  batch /= weight
  stepS /= weight
  let spread = 0
  let product = 0
  samples.forEach((sample, i) => {
    const w = weights[i] ?? 0
    spread += w * (sample.batch - batch) ** 2
    product += w * (sample.batch - batch) * (sample.stepS - stepS)
  })
  return { weight, batch, stepS, spread, slope: product / spread }
}

function solve(
  samples: readonly Sample[],
  sums: Moments,
  weights: readonly number[],
): Omit<Line, 'noise' | 'baseErrorS' | 'perSequenceErrorS' | 'spread'> {
  const perSequenceS = sums.slope
  const baseS = sums.stepS - perSequenceS * sums.batch
  // Exact points on a line through 0 may come out a rounding error below it: that is 0, not a term of the wrong sign.
  const nothing = 1e-9 * sums.stepS
  if (perSequenceS < 0) {
    return {
      baseS: sums.stepS,
      perSequenceS: 0,
      ...(perSequenceS * sums.batch < -nothing && { clamped: 'perSequence' as const }),
    }
  }
  if (baseS < 0) {
    let product = 0
    let square = 0
    samples.forEach((sample, i) => {
      product += (weights[i] ?? 0) * sample.batch * sample.stepS
      square += (weights[i] ?? 0) * sample.batch ** 2
    })
    return { baseS: 0, perSequenceS: product / square, ...(baseS < -nothing && { clamped: 'base' as const }) }
  }
  return { baseS, perSequenceS }
}

/**
 * Least squares of the *relative* error of the step time, for the noise of a time grows with the time. The weights are 1/T² of the
 * fitted line, found in a few rounds: with the measured T a point that came out low would count more. Undefined when the batches
 * do not differ enough to carry a slope.
 */
export function fitLine(samples: readonly Sample[]): Line | undefined {
  const { min, max } = extent(samples.map((sample) => sample.batch))
  if (samples.length < 2 || max < LEAST_RANGE * min) return undefined
  let weights = samples.map((sample) => sample.weight / sample.stepS ** 2)
  let sums = moments(samples, weights)
  let terms = solve(samples, sums, weights)
  for (let round = 0; round < 4; round++) {
    const line = terms
    weights = samples.map((sample) => sample.weight / predict(line, sample.batch) ** 2)
    sums = moments(samples, weights)
    terms = solve(samples, sums, weights)
  }
  const line = terms
  const squares = samples.reduce(
    (sum, { batch, stepS, weight }) => sum + weight * (stepS / predict(line, batch) - 1) ** 2,
    0,
  )
  // Two points leave no residual to judge by: they are taken to repeat at the floor, with the widest t.
  const freedom = Math.max(1, samples.length - 2)
  const noise = Math.max(REPEAT_NOISE, Math.sqrt(squares / freedom))
  const t = ninetyPercent(freedom)
  return {
    ...line,
    noise,
    baseErrorS: t * noise * Math.sqrt(1 / sums.weight + sums.batch ** 2 / sums.spread),
    perSequenceErrorS: (t * noise) / Math.sqrt(sums.spread),
    spread: (batch) => {
      const variance = (1 / sums.weight + (batch - sums.batch) ** 2 / sums.spread) / predict(line, batch) ** 2
      return Math.min(5, t * noise * Math.sqrt(1 + variance))
    },
  }
}

/**
 * Multiples of the noise that hold nine times in ten: Student's t, of 90 % for one degree of freedom and of 95 % from two up. The
 * larger level pays for having looked at the points before choosing which to use; `test/model/fit.test.ts` counts that it does.
 */
const T = [6.314, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]

/** Tabled to ten degrees of freedom, then Fisher's expansion of t about the normal quantile, good to three digits there. */
function ninetyPercent(freedom: number): number {
  const z = 1.959964
  return T[freedom - 1] ?? z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
}

/** From so many samples on, none moves the weights of the others; leaving each out in turn would take the square of their number. */
const MANY = 100

/** Relative error at each sample of the line through all the others; a sample that the others cannot judge is left out. */
export function leaveOneOut(samples: readonly Sample[], judged: readonly Sample[] = samples): readonly number[] {
  if (samples.length > MANY) return byLeverage(samples, judged)
  return judged.flatMap((left) => {
    const line = fitLine(samples.filter((sample) => sample !== left))
    return line === undefined ? [] : [predict(line, left.batch) / left.stepS - 1]
  })
}

/**
 * The same in one go: least squares with given weights foretells a sample that it leaves out with the error e/(1 − h), e what it misses
 * the sample by when it has seen it, h the sample's leverage, the share of its own value in what the line says there.
 */
function byLeverage(samples: readonly Sample[], judged: readonly Sample[]): readonly number[] {
  const line = fitLine(samples)
  if (line === undefined) return []
  const weightOf = (sample: Sample): number => sample.weight / predict(line, sample.batch) ** 2
  const sums = moments(samples, samples.map(weightOf))
  const squares = sums.spread + sums.weight * sums.batch ** 2
  const leverage = ({ batch }: Sample): number => {
    // A term that was put to 0 is not fitted: what is left is a mean, or a line through the origin.
    if (line.clamped === 'perSequence') return 1 / sums.weight
    if (line.clamped === 'base') return batch ** 2 / squares
    return 1 / sums.weight + (batch - sums.batch) ** 2 / sums.spread
  }
  return judged.flatMap((left) => {
    const free = 1 - weightOf(left) * leverage(left)
    return free < 1e-9 ? [] : [(predict(line, left.batch) / left.stepS - 1) / free]
  })
}

/** The same for straight pieces between neighbours: only inner samples have two. Samples ascend by batch. */
export function leaveOneOutOfPieces(samples: readonly Sample[]): readonly number[] {
  return samples.flatMap((left, i) => {
    const [before, after] = [samples[i - 1], samples[i + 1]]
    if (before === undefined || after === undefined || after.batch === before.batch) return []
    const share = (left.batch - before.batch) / (after.batch - before.batch)
    return [(before.stepS + share * (after.stepS - before.stepS)) / left.stepS - 1]
  })
}

export function rootMeanSquare(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length)
}
