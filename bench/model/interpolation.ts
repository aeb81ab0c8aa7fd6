/** From three points of a sweep, at its lowest, middle and highest load: the pace at the others, as `fit --at` gives it. */
import { findModel } from '../../src/model/catalogue/find.ts'
import { fitPoints, pointsOfRows } from '../../src/model/index.ts'
import type { Bounded } from './intervals.ts'
import { type ServingSetup, type ServingSweep, threeOf } from './serving.ts'

export interface Interpolated extends Bounded {
  readonly setup: ServingSetup
}

export interface InterpolatedSweep {
  readonly setup: ServingSetup
  readonly experts: boolean
  readonly reliable: boolean
  readonly why: readonly string[]
  readonly points: readonly Interpolated[]
}

/** A sweep has to have one point more than the three. */
const LEAST = 4

export function interpolations(sweeps: readonly ServingSweep[]): readonly InterpolatedSweep[] {
  return sweeps.flatMap(({ setup, rows }) => {
    const loads = [...new Set(rows.map(({ concurrency }) => concurrency))]
    if (loads.length < LEAST) return []
    const chosen = new Set(threeOf(loads))
    const { experts } = findModel(setup.model)
    const { fit, frontier } = fitPoints(
      pointsOfRows(rows.filter(({ concurrency }) => chosen.has(concurrency))),
      {
        gpus: setup.gpus,
        lengths: { input: setup.inputTokens, output: setup.outputTokens },
        ...(experts !== undefined && { experts: { active: experts.active, all: experts.all } }),
      },
      loads.filter((load) => !chosen.has(load)),
    )
    const points = rows.flatMap(({ concurrency, tokensPerSecondPerUser: measured }) => {
      const at = chosen.has(concurrency) ? undefined : frontier.find((point) => point.concurrency === concurrency)
      if (at === undefined) return []
      const { tokensPerSecondPerUser: predicted, low = predicted, high = predicted } = at
      return [{ setup, predicted, measured, low, high }]
    })
    return [{ setup, experts: experts !== undefined, reliable: fit.reliable, why: fit.why, points }]
  })
}
