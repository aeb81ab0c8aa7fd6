import { type Fit, percent } from '../../core/index.ts'
import { type Law, timeOf } from '../law.ts'
import type { LoadPoint } from '../points.ts'
import type { Deployment } from './deployment.ts'
import { TOLERABLE } from './errors.ts'
import { figuresOf, lawName, perSequenceOf, rangeOf, termsOf } from './figures.ts'
import type { Fitted } from './fit.ts'
import { rootMeanSquare } from './leave-one-out.ts'
import { serverLimitOf } from './limit.ts'
import { AFFINE, type Form } from './line.ts'

/**
 * A law that was given instead of fitted, as far as the points agree with it: `errorPct` is its residual at those that have a pace of
 * the server's own. With no point to judge it by it is believed, with what is known of its error where it comes from a fit; else it is marked
 * not reliable.
 */
export function givenLaw(
  law: Law,
  points: readonly LoadPoint[],
  deployment: Deployment = {},
  known?: Pick<Fit, 'errorPct' | 'errorFrom' | 'reliable' | 'why'>,
): Fitted {
  const sound = points.filter((point) => point.fault === undefined)
  const limit = serverLimitOf(sound)
  const judged = sound.length === 0 ? known : undefined
  const error = rootMeanSquare(sound.map((point) => timeOf(law, point) / point.stepS - 1))
  const why = [
    ...(sound.length === 0 ? ['the law was given, and no point is there to judge it by'] : []),
    ...(error > TOLERABLE ? [`the law that was given misses the points by ${percent(error)}`] : []),
  ]
  return {
    fit: {
      law: lawName(formOfLaw(law)),
      ...termsOf(law),
      ...figuresOf(law, deployment, perSequenceOf(sound)),
      ...(deployment.gpus !== undefined && { gpus: deployment.gpus }),
      ...(deployment.replicas !== undefined && { replicas: deployment.replicas }),
      ...(deployment.lengths !== undefined && { lengths: deployment.lengths }),
      range: rangeOf(sound),
      ...(limit !== undefined && { serverLimit: limit.batch }),
      errorPct: 100 * error,
      errorFrom: 'residual',
      reliable: why.length === 0,
      why,
      ...judged,
      ...(judged === undefined && sound.length > 0 && { given: true as const }),
    },
    law,
    ...(limit !== undefined && { limit }),
    between: 'law',
    beyond: true,
  }
}

const formOfLaw = ({ experts, perThousandKvTokensS, perPrefillTokenS }: Law): Form => ({
  terms: [
    ...AFFINE.terms,
    ...(perThousandKvTokensS === undefined ? [] : (['kv'] as const)),
    ...(perPrefillTokenS === undefined ? [] : (['prefill'] as const)),
    ...(experts === undefined ? [] : (['experts'] as const)),
  ],
  ...(experts !== undefined && { experts }),
})
