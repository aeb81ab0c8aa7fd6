import { type Amount, checkAmounts, type FitAnswer, RANGES } from '../core/index.ts'
import { createCurve, whyUnknown } from './curve.ts'
import type { Deployment } from './fit/deployment.ts'
import { fitLaw } from './fit/fit.ts'
import { frontierOf } from './frontier.ts'
import { loadsOf } from './loads.ts'
import { groupsByLengths, type LoadPoint } from './points.ts'

/**
 * The law of a server from its points, and both speeds at every load that was measured, at some between, and at those of `at` of which
 * anything is known. Points of several lengths are fitted to one law and have a frontier for each length.
 */
export function fitPoints(
  points: readonly LoadPoint[],
  deployment: Deployment = {},
  at: readonly number[] = [],
): FitAnswer {
  checkAmounts(at.map((load): Amount => ['a load asked for', load, RANGES.measured]))
  const fitted = fitLaw(points, deployment)
  const groups = groupsByLengths(points)
  const curves = groups.map((group) => createCurve(group, fitted))
  const unknown = at.flatMap((concurrency) => {
    const [first] = curves
    const isKnown = points.some(({ load }) => load === concurrency) || curves.some((curve) => curve.at(concurrency))
    return first === undefined || isKnown ? [] : [{ concurrency, why: whyUnknown(first, concurrency) }]
  })
  const frontier = curves.flatMap((curve, i) => {
    const group = groups[i] ?? []
    const [context] = groups.length > 1 ? group.flatMap(({ contextTokens }) => contextTokens ?? []) : []
    return frontierOf(group, curve, deployment.gpus, at).map((point) => ({
      ...point,
      ...(context !== undefined && { contextTokens: context }),
    }))
  })
  return {
    fit: fitted.fit,
    frontier,
    setAside: fitted.fit.setAside ?? [],
    ...(unknown.length > 0 && { unknown }),
    loads: loadsOf(points),
  }
}
