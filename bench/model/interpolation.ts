/** From three points of a sweep, at its lowest, middle and highest load: the pace at the others. */
import { findModel } from '../../src/model/catalogue/find.ts'
import { createCurve, fitLaw, pointsOfRows } from '../../src/model/index.ts'
import type { Pair } from './errors.ts'
import { isClean, type ServingRow, sweepsOf, threeOf } from './serving.ts'

export interface Interpolated extends Pair {
  readonly row: ServingRow
  readonly low: number
  readonly high: number
}

export interface InterpolatedSweep {
  readonly name: string
  readonly experts: boolean
  readonly reliable: boolean
  readonly why: readonly string[]
  readonly points: readonly Interpolated[]
}

/** A sweep has to have one point more than the three. */
const LEAST = 4

export function interpolations(rows: readonly ServingRow[]): readonly InterpolatedSweep[] {
  return sweepsOf(rows.filter(isClean)).flatMap(({ rows: members, first }) => {
    const loads = [...new Set(members.map(({ concurrency }) => concurrency))]
    if (loads.length < LEAST) return []
    const chosen = new Set(threeOf(loads))
    const { experts } = findModel(first.model)
    const points = pointsOfRows(members.filter(({ concurrency }) => chosen.has(concurrency)).map(pointsRowOf))
    const fitted = fitLaw(points, {
      gpus: first.gpus,
      lengths: { input: first.inputTokens, output: first.outputTokens },
      ...(experts !== undefined && { experts: { active: experts.active, all: experts.all } }),
    })
    const curve = createCurve(points, fitted)
    const others = members.filter(({ concurrency }) => !chosen.has(concurrency))
    return [
      {
        name: first.sweep,
        experts: experts !== undefined,
        reliable: fitted.fit.reliable,
        why: fitted.fit.why,
        points: others.flatMap((row) => {
          const at = curve.at(row.concurrency)
          if (at === undefined) return []
          const { tokensPerSecondPerUser: predicted, low = predicted, high = predicted } = at
          return [{ row, predicted, measured: 1000 / row.tpotMs, low, high }]
        }),
      },
    ]
  })
}

/** Little's law: C requests, each N tokens in TTFT + (N − 1)·TPOT. */
function pointsRowOf({ concurrency, outputTokens, ttftMs, tpotMs }: ServingRow) {
  return {
    concurrency,
    outputTokensPerSecond: (1000 * concurrency * outputTokens) / (ttftMs + (outputTokens - 1) * tpotMs),
    tokensPerSecondPerUser: 1000 / tpotMs,
    ttftMs,
  }
}
