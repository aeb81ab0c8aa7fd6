import { type Fit, percent } from '../core/index.ts'
import type { Law } from './law.ts'
import { type ServerLimit, serverLimitOf } from './limit.ts'
import {
  extent,
  fitLine,
  type Line,
  leaveOneOut,
  leaveOneOutOfPieces,
  predict,
  rootMeanSquare,
  type Sample,
} from './line.ts'
import type { LoadPoint } from './points.ts'

/** What the server is, as far as the law's figures need it. GPUs are all of them, of all replicas. */
export interface Deployment {
  readonly gpus?: number
  readonly replicas?: number
  readonly lengths?: { readonly input: number; readonly output: number }
}

/** The law with all that chose it. */
export interface Fitted {
  readonly fit: Fit
  /** Absent where the points carry no line. */
  readonly law?: Law
  readonly line?: Line
  readonly limit?: ServerLimit
  /** Between measured loads, what to believe: the law, or straight pieces from point to point where the law does not fit them. */
  readonly between: 'law' | 'points'
  /** Whether the law is believed outside the measured loads. */
  readonly beyond: boolean
}

/**
 * A law that misses loads it has not seen by more than this, in the root mean square, is not to be relied on: what it says between
 * measured loads is a guess, and outside them it says nothing.
 */
export const DOUBTFUL_PCT = 10
const TOLERABLE = DOUBTFUL_PCT / 100
/** Below this the law is taken without asking whether pieces would do better. */
const GOOD = 0.05

/**
 * Fits T(B) = a + b·B. Left out are points whose speed is not the server's own, those past its limit, and B = 1 where the others say
 * better without it. Never throws: what the points cannot tell is absent, and `why` says so.
 */
export function fitLaw(points: readonly LoadPoint[], deployment: Deployment = {}): Fitted {
  const sound = points.filter((point) => point.fault === undefined)
  const limit = serverLimitOf(sound)
  // Points ascend by load, so those beyond a limit are the last ones.
  const within = sound.slice(0, sound.length - (limit?.beyond.length ?? 0))
  const single = offTheLine(within)
  const kept = single.length === 0 ? within : within.filter((point) => point.batch >= SINGLE)
  const samples = samplesOf(kept)
  const line = fitLine(samples)
  const errors = errorsOf(samples, line)
  const setAside = [
    ...points.filter((point) => point.fault !== undefined).map((point) => aside(point, point.fault ?? '')),
    ...single.map((point) => aside(point, 'singleSequence')),
    ...(limit?.beyond ?? []).map((point) => aside(point, 'serverLimit')),
  ].flat()
  const why = reasons(kept, line, errors)
  const lawful = line !== undefined && line.clamped === undefined && !errors.misfit
  const fit: Fit = {
    law: 'affine',
    ...terms(line, deployment),
    ...(deployment.gpus !== undefined && { gpus: deployment.gpus }),
    ...(deployment.replicas !== undefined && { replicas: deployment.replicas }),
    range: rangeOf(kept.length > 0 ? kept : points),
    ...(deployment.lengths !== undefined && { lengths: deployment.lengths }),
    ...(limit !== undefined && { serverLimit: limit.batch }),
    ...(setAside.length > 0 && { setAside }),
    errorPct: 100 * errors.law,
    errorFrom: errors.from,
    reliable: why.length === 0,
    why,
  }
  return {
    fit,
    ...(line !== undefined && { law: { baseS: line.baseS, perSequenceS: line.perSequenceS }, line }),
    ...(limit !== undefined && { limit }),
    between: lawful ? 'law' : 'points',
    beyond: lawful && errors.law <= TOLERABLE,
  }
}

const aside = (point: LoadPoint, why: string): { point: number; why: string }[] =>
  point.members.map((member) => ({ point: member, why }))

const samplesOf = (points: readonly LoadPoint[]): readonly Sample[] =>
  points
    .map(({ batch, stepS, members }) => ({ batch, stepS, weight: members.length }))
    .sort((a, b) => a.batch - b.batch)

function rangeOf(points: readonly LoadPoint[]): { min: number; max: number } {
  return points.length === 0 ? { min: 0, max: 0 } : extent(points.map((point) => point.batch))
}

/** B = 1 is below this: mean decode in flight is seldom whole. */
const SINGLE = 1.5

/**
 * An engine may take another path for one sequence alone (a matrix times a vector), so that T jumps between 1 and 2. The others
 * decide, and need three loads to do so: it goes where it lies outside their 90 % interval *and* leaving it out brings their own
 * leave-one-out error down by a third.
 */
function offTheLine(points: readonly LoadPoint[]): readonly LoadPoint[] {
  const single = points.filter((point) => point.batch < SINGLE)
  const others = samplesOf(points.filter((point) => point.batch >= SINGLE))
  const line = others.length < 3 ? undefined : fitLine(others)
  if (line === undefined) return []
  const outside = single.some(
    ({ batch, stepS }) => Math.abs(Math.log(stepS / predict(line, batch))) > line.spread(batch),
  )
  const without = rootMeanSquare(leaveOneOut(others))
  const withIt = rootMeanSquare(leaveOneOut([...samplesOf(single), ...others], others))
  return outside && without < (2 / 3) * withIt ? single : []
}

interface Errors {
  readonly law: number
  readonly from: 'leaveOneOut' | 'residual'
  /** The points bend away from the line, and straight pieces between neighbours foretell the inner ones better. */
  readonly misfit: boolean
  readonly pieces: number
}

function errorsOf(samples: readonly Sample[], line: Line | undefined): Errors {
  const residuals = samples.map(({ batch, stepS }) => (line === undefined ? 0 : predict(line, batch) / stepS - 1))
  if (samples.length < 4) {
    const law = rootMeanSquare(residuals)
    return { law, from: 'residual', misfit: law > GOOD, pieces: 0 }
  }
  const law = rootMeanSquare(leaveOneOut(samples))
  const inner = rootMeanSquare(leaveOneOut(samples, samples.slice(1, -1)))
  const pieces = rootMeanSquare(leaveOneOutOfPieces(samples))
  // Noise makes pieces win now and then: while the line is tolerable they must win clearly.
  const misfit = inner > GOOD && pieces < (law > TOLERABLE ? 1 : 0.8) * inner
  return { law, from: 'leaveOneOut', misfit, pieces }
}

function reasons(kept: readonly LoadPoint[], line: Line | undefined, errors: Errors): string[] {
  if (kept.length === 0) return ['no point is left to fit a law to']
  if (line === undefined) return [`${kept.length === 1 ? 'one load does' : 'loads of one batch do'} not make a line`]
  const why: string[] = []
  if (line.clamped === 'base')
    why.push('the line would need a step that takes less than no time for an empty batch, so the base is 0')
  if (line.clamped === 'perSequence')
    why.push('step time does not grow with the batch, so nothing is known of the ceiling')
  if (kept.length === 2) why.push('two loads make a line without showing its error')
  if (errors.law > TOLERABLE) {
    why.push(`its error is over ${percent(TOLERABLE)}`)
  } else if (errors.misfit) {
    why.push(
      errors.from === 'residual'
        ? `three points miss their line by ${percent(errors.law)}`
        : `the points bend away from the line: pieces from point to point miss by ${percent(errors.pieces)}, the line by ${percent(errors.law)}`,
    )
  }
  return why
}

/** The law's terms and what they say of the whole server: 1/a, R/b for R replicas, a/b. What would be infinite is absent. */
function terms(line: Line | undefined, { gpus, replicas = 1 }: Deployment): Partial<Fit> {
  if (line === undefined) return {}
  const { baseS: a, perSequenceS: b, baseErrorS, perSequenceErrorS } = line
  const around = (value: number, error: number): { low: number; high: number } => ({
    low: 1000 * Math.max(0, value - error),
    high: 1000 * (value + error),
  })
  return {
    stepMs: { base: 1000 * a, perSequence: 1000 * b },
    stepMsInterval: { base: around(a, baseErrorS), perSequence: around(b, perSequenceErrorS) },
    ...(a > 0 && { soloLimitTokensPerSecond: 1 / a }),
    ...(b > 0 && { ceilingTokensPerSecond: replicas / b, halfBatch: a / b }),
    ...(b > 0 && gpus !== undefined && { ceilingTokensPerSecondPerGpu: replicas / (b * gpus) }),
  }
}

/**
 * A law that was given instead of fitted, as far as the points agree with it: `errorPct` is its residual at those that have a pace of
 * the server's own. With too few points to judge it by, it is believed and marked not reliable.
 */
export function givenLaw(law: Law, points: readonly LoadPoint[], deployment: Deployment = {}): Fitted {
  const sound = points.filter((point) => point.fault === undefined)
  const limit = serverLimitOf(sound)
  const { baseS, perSequenceS } = law
  const line = { baseS, perSequenceS, noise: 0, baseErrorS: 0, perSequenceErrorS: 0, spread: (): number => 0 }
  const error = rootMeanSquare(sound.map(({ batch, stepS }) => predict(law, batch) / stepS - 1))
  const why = [
    ...(sound.length === 0 ? ['the law was given, and no point is there to judge it by'] : []),
    ...(error > TOLERABLE ? [`the law that was given misses the points by ${percent(error)}`] : []),
  ]
  const { stepMsInterval: _, ...known } = terms(line, deployment)
  return {
    fit: {
      law: 'affine',
      ...known,
      ...(deployment.gpus !== undefined && { gpus: deployment.gpus }),
      range: rangeOf(sound),
      ...(limit !== undefined && { serverLimit: limit.batch }),
      errorPct: 100 * error,
      errorFrom: 'residual',
      reliable: why.length === 0,
      why,
    },
    law,
    ...(limit !== undefined && { limit }),
    between: 'law',
    beyond: true,
  }
}
