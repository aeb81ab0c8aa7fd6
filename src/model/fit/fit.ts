import type { Fit } from '../../core/index.ts'
import type { Law } from '../law.ts'
import { groupsByLengths, type LoadPoint } from '../points.ts'
import { checkEvidence } from './checked.ts'
import type { Deployment } from './deployment.ts'
import { errorsOf, LOOSE, TOLERABLE } from './errors.ts'
import { figuresOf, intervalsOf, lawName, perSequenceOf, rangeOf, termsOf } from './figures.ts'
import { formOf } from './form.ts'
import type { ServerLimit } from './limit.ts'
import { AFFINE, fitLine, type Line, samplesOf } from './line.ts'
import { contradictions, reasons } from './reasons.ts'
import { sweepOf } from './sweep.ts'

/** The law with all that chose it. */
export interface Fitted {
  readonly fit: Fit
  /** Absent where the points carry no line. */
  readonly law?: Law
  readonly line?: Line
  readonly limit?: ServerLimit
  /** The greatest load before output falls, where it does: beyond it the law is not believed. */
  readonly highest?: number
  /** Between measured loads, what to believe: the law, or straight pieces from point to point where the law does not fit them. */
  readonly between: 'law' | 'points'
  /** Whether the law is believed outside the measured loads. */
  readonly beyond: boolean
}

/**
 * Fits T(B) = a + b·B, with the terms beside it that the points speak for. Left out are points whose speed is not the server's own, those
 * past its limit or past its highest output, outliers, and B = 1 where the others say better without it. Points of several runs may come
 * together; those of other lengths have their own limit. What the points cannot tell is absent, and `why` says so.
 *
 * Throws INVALID_VALUE where a number is none.
 */
export function fitLaw(points: readonly LoadPoint[], deployment: Deployment = {}): Fitted {
  checkEvidence(points, deployment)
  const { experts } = deployment
  const sweeps = groupsByLengths(points).map((group) => sweepOf(group, experts))
  const [first] = sweeps
  const kept = sweeps.flatMap((sweep) => sweep.kept)
  const samples = samplesOf(kept)
  const form = formOf(samples, experts)
  const line = fitLine(samples, form)
  const errors = errorsOf(sweeps, line)
  const why = [...sweeps.flatMap((sweep) => contradictions(sweep)), ...reasons(kept, line, errors)]
  const setAside = sweeps.flatMap((sweep) => sweep.aside)
  const limit = sweeps.length === 1 ? first?.limit : undefined
  const highest = sweeps.length === 1 ? first?.highest : undefined
  // A step that does not grow is a law like any other, of which the ceiling is not known.
  const lawful = line !== undefined && !(line.form === AFFINE && line.clamped.includes('base')) && !errors.misfit
  // Without a base the experts' term takes its place, and below the loads that it was fitted to nothing holds the step up.
  const isBottomless = line?.experts !== undefined && line.clamped.includes('base')
  const beyond = lawful && errors.beyond <= TOLERABLE && highest === undefined && !isBottomless
  const fit: Fit = {
    law: lawName(form),
    ...(line !== undefined && { ...termsOf(line), ...intervalsOf(line) }),
    ...(line !== undefined &&
      figuresOf(line, deployment, perSequenceOf(kept), {
        errorS: line.errorS,
        solo: isSoloTold(kept, line, beyond),
        ofAll: deployment.share === undefined,
      })),
    ...(deployment.gpus !== undefined && { gpus: deployment.gpus }),
    ...(deployment.replicas !== undefined && { replicas: deployment.replicas }),
    ...(deployment.share !== undefined && { share: deployment.share }),
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
    ...(line !== undefined && { law: lawOf(line), line }),
    ...(limit !== undefined && { limit }),
    ...(highest !== undefined && { highest }),
    between: lawful ? 'law' : 'points',
    beyond,
  }
}

/** One sequence was measured, or the law is followed down to it. */
function isSoloTold(kept: readonly LoadPoint[], line: Line, beyond: boolean): boolean {
  const spread = line.spread(1, { ...perSequenceOf(kept), othersShare: 0 })
  return rangeOf(kept).min <= 1 || (beyond && Math.exp(spread) <= LOOSE)
}

function lawOf(line: Line): Law {
  const { baseS, perSequenceS, perThousandKvTokensS, perPrefillTokenS, experts } = line
  return {
    baseS,
    perSequenceS,
    ...(perThousandKvTokensS !== undefined && { perThousandKvTokensS }),
    ...(perPrefillTokenS !== undefined && { perPrefillTokenS }),
    ...(experts !== undefined && { experts }),
  }
}
