import { type FitAnswer, type MeasuredLoad, TwospeedError } from '../core/index.ts'
import type { Deployment } from './fit/deployment.ts'
import { groupsByLengths, type LoadPoint } from './points.ts'

/** The points of a fit as its JSON holds them, so that a choice can be made from them again. */
export const loadsOf = (points: readonly LoadPoint[]): readonly MeasuredLoad[] =>
  points.map(({ load: concurrency, stepS, members, ...point }) => ({
    concurrency,
    tokensPerSecondPerUser: 1 / stepS,
    ...point,
    points: members,
  }))

/** What a fit was fitted to, and the server that it is of. */
export interface FittedServer {
  readonly points: readonly LoadPoint[]
  readonly deployment: Deployment
}

/**
 * The server of a fit: the parsed JSON of what `fit` prints of one, or of its law alone, which then has no points.
 *
 * Throws INVALID_VALUE where it is many fits, where its loads are of several lengths, or are no loads.
 */
export function serverOfFit(json: unknown): FittedServer {
  const { fits, fit, loads = [] } = (json ?? {}) as Partial<FitAnswer> & { readonly fits?: readonly unknown[] }
  if (Array.isArray(fits)) {
    throw refused(`the file holds ${fits.length} fits, and a choice is made from one`, 'Fit one sweep by itself.')
  }
  if (!Array.isArray(loads) || !loads.every(isLoad)) {
    throw refused('loads: each takes concurrency, batch, tokensPerSecondPerUser and outputTokensPerSecond above 0')
  }
  const points = loads.map(({ concurrency: load, tokensPerSecondPerUser: pace, points: members, ...point }, i) => ({
    ...point,
    load,
    stepS: 1 / pace,
    members: members ?? [i],
  }))
  if (groupsByLengths(points).length > 1) {
    throw refused('the fit is of requests of several lengths, and a choice is made for one', 'Choose from one run.')
  }
  const { gpus, replicas, lengths, share, stepMs } = fit ?? {}
  const { experts } = stepMs ?? {}
  return {
    points,
    deployment: {
      ...(gpus !== undefined && { gpus }),
      ...(replicas !== undefined && { replicas }),
      ...(lengths !== undefined && { lengths }),
      ...(share !== undefined && { share }),
      ...(experts !== undefined && { experts: { active: experts.active, all: experts.all } }),
    },
  }
}

function isLoad(load: unknown): load is MeasuredLoad {
  const { concurrency, batch, tokensPerSecondPerUser, outputTokensPerSecond } = (load ?? {}) as Partial<MeasuredLoad>
  return [concurrency, batch, tokensPerSecondPerUser, outputTokensPerSecond].every(
    (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0,
  )
}

const refused = (what: string, hint = 'Give what `twospeed fit --json` prints.'): TwospeedError =>
  new TwospeedError('INVALID_VALUE', `--law: ${what}`, hint)
