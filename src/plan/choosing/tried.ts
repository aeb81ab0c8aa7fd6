import { figure, type Product, type ProductWork, TwospeedError } from '../../core/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import { type Found, NOISE, pointFor } from '../choose.ts'
import type { Evidence } from '../evidence.ts'
import { judgeOf } from '../judge.ts'

export interface ChoosingOptions {
  /** Of the requests; a product's own go before them. Absent: those that a candidate was measured with. */
  readonly lengths?: MeanLengths
  /** Of one GPU, for candidates that have no price of their own. */
  readonly gpuHour?: number
  /** Refuse a point that lies outside what was measured. */
  readonly strict?: boolean
}

/** A candidate with what it gives the requests that are asked about, or why it gives them nothing. */
export interface Given {
  readonly candidate: Candidate
  readonly evidence?: Evidence
  readonly refusal?: TwospeedError
}

export interface Held extends Found {
  readonly candidate: Candidate
  readonly evidence: Evidence
  /** The greatest load that holds, where more is made at a lesser one. */
  readonly greatest?: number
}

export interface Refused {
  readonly candidate: Candidate
  readonly evidence?: Evidence
  readonly error: TwospeedError
}

/** What one of several may be refused for while the others stand. */
const OF_ONE: ReadonlySet<string> = new Set(['NO_POINT_HOLDS', 'NO_POINTS', 'DOES_NOT_FIT', 'IMPOSSIBLE_CONFIGURATION'])

export function unlessRefused<Value>(make: () => Value): Value | TwospeedError {
  try {
    return make()
  } catch (error) {
    if (error instanceof TwospeedError && OF_ONE.has(error.code)) return error
    throw error
  }
}

/** What each candidate gives the requests of a product. */
export function givenBy(
  candidates: readonly Candidate[],
  product: Product,
  lengths: MeanLengths | undefined,
): readonly Given[] {
  return candidates.map((one) => {
    const candidate = one.forProduct?.(product) ?? one
    const evidence = unlessRefused(() => candidate.evidenceFor(lengths))
    return evidence instanceof TwospeedError ? { candidate, refusal: evidence } : { candidate, evidence }
  })
}

/** The lengths of a product's own requests, where it says them. */
export function lengthsFor(
  { inputTokens, outputTokens }: ProductWork,
  asked: MeanLengths | undefined,
): MeanLengths | undefined {
  const output = outputTokens ?? asked?.output
  const input = inputTokens ?? asked?.input
  return output === undefined ? undefined : { output, ...(input !== undefined && { input }) }
}

/** The point of one of several candidates. */
export function tried({ candidate, evidence, refusal }: Given, product: Product, strict: boolean): Held | Refused {
  if (evidence === undefined) {
    if (refusal === undefined) throw new RangeError('neither evidence nor why there is none')
    return { candidate, error: refusal }
  }
  const found = unlessRefused(() => pointFor(evidence, product))
  if (found instanceof TwospeedError) return { candidate, evidence, error: found }
  const outside = strict ? outsideOf(found, evidence, product) : undefined
  return outside === undefined ? { candidate, evidence, ...found } : { candidate, evidence, error: outside }
}

export const isHeld = (one: Held | Refused): one is Held => 'point' in one

/** Why a point is refused where only what was measured counts. */
function outsideOf({ point }: Found, evidence: Evidence, product: Product): TwospeedError | undefined {
  const { curve, standing } = evidence
  const at = `--strict: the choice is ${figure(point.load)} in flight`
  if (standing === 'uncalibrated') {
    return new TwospeedError('NO_POINT_HOLDS', `${at} by datasheets alone`, 'Measure it, or leave --strict out.')
  }
  if (standing === 'newShape') {
    const what = `${at} by measurements of other lengths or of another layout`
    return new TwospeedError('NO_POINT_HOLDS', what, 'Measure what is asked for, or leave --strict out.')
  }
  if (point.source !== 'extrapolated') return undefined
  const [least, most] = [curve.points[0]?.load, curve.points.at(-1)?.load]
  const range = least === undefined || most === undefined ? 'nothing' : `${figure(least)} to ${figure(most)}`
  const judge = judgeOf(evidence, product)
  const inside = curve.points.flatMap(({ load }) => curve.at(load) ?? []).findLast((one) => !judge.missed(one))
  const nearest =
    inside === undefined
      ? ''
      : ` The greatest load measured that holds it is ${figure(inside.load)}, at ${figure(inside.tokensPerSecondPerUser)} tok/s/user.`
  return new TwospeedError(
    'NO_POINT_HOLDS',
    `${at}, and measured was ${range}`,
    `Measure there, or leave --strict out.${nearest}`,
  )
}

/**
 * The greatest load at which the objective holds is that of most throughput too, but for servers whose throughput falls with load: there a
 * measured load below it that makes more stands for the candidate among others.
 */
export function withMostOutput(held: Held, product: Product): Held {
  const { evidence, point } = held
  const judge = judgeOf(evidence, product)
  const best = evidence.curve.points
    .filter(({ load }) => load < point.load)
    .flatMap(({ load }) => evidence.curve.at(load) ?? [])
    .filter((lesser) => judge.missed(lesser) === undefined)
    .reduce((most, lesser) => (lesser.outputTokensPerSecond > most.outputTokensPerSecond ? lesser : most), point)
  return best.outputTokensPerSecond <= NOISE * point.outputTokensPerSecond
    ? held
    : { ...held, point: best, binding: 'throughput', greatest: point.load }
}
