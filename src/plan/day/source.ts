import { type Trace, TwospeedError } from '../../core/index.ts'
import type { CurvePoint } from '../../sim/index.ts'
import { createCurve } from './curve.ts'

/** Requests as they were recorded, or a rate for every hour of a day that begins anew after the last point. */
export type DaySource =
  | { readonly kind: 'trace'; readonly trace: Trace }
  | { readonly kind: 'curve'; readonly points: readonly CurvePoint[] }

/** What a day asks in the mean; of a trace its own lengths too. */
export interface DayDemand {
  readonly arrivalsPerSecond: number
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** Throws INVALID_VALUE for a curve that cannot be, INVALID_WORK for a trace that tells no rate, or not how long its answers are. */
export function demandOfDay(source: DaySource): DayDemand {
  checkDay(source)
  if (source.kind === 'curve') {
    const { requests, lengthS } = createCurve(source.points)
    return { arrivalsPerSecond: requests / lengthS }
  }
  const { rows } = source.trace
  let [input, output, isKnown] = [0, 0, true]
  for (const { inputTokens, outputTokens = 0 } of rows) {
    output += outputTokens
    input += inputTokens ?? 0
    isKnown &&= inputTokens !== undefined
  }
  return {
    arrivalsPerSecond: rateOfRows(source.trace),
    ...(isKnown && { inputTokens: input / rows.length }),
    outputTokens: output / rows.length,
  }
}

/** From its first row to its last: n rows are n − 1 gaps. */
const rateOfRows = ({ rows }: Trace): number => (rows.length - 1) / lastOf(rows)

export const lastOf = (rows: Trace['rows']): number => rows.at(-1)?.atS ?? 0

function checkDay(source: DaySource): void {
  if (source.kind === 'curve') {
    const problems = curveProblems(source.points)
    if (problems.length === 0) return
    throw new TwospeedError('INVALID_VALUE', problems.join('; '), 'For example: 0h at 2/s, 8h at 20/s, 24h at 2/s.')
  }
  const { rows } = source.trace
  const problems = [
    ...(lastOf(rows) > 0 ? [] : ['all requests of the trace come at one instant, which tells no rate']),
    ...(rows.every(({ outputTokens = 0 }) => outputTokens > 0)
      ? []
      : ['the trace has rows that do not say how long their answers are']),
  ]
  if (problems.length === 0) return
  throw new TwospeedError('INVALID_WORK', problems.join('; '), 'Give rows of atS, inputTokens and outputTokens.')
}

function curveProblems(points: readonly CurvePoint[]): readonly string[] {
  const rises = points.every(({ atS }, i) => (i === 0 ? atS === 0 : atS > (points[i - 1]?.atS ?? Infinity)))
  const areRates = points.every(({ rate, atS }) => rate >= 0 && Number.isFinite(rate) && Number.isFinite(atS))
  return [
    ...(points.length >= 2 && rises
      ? []
      : ['a curve begins at 0 s, and each of its points comes after the one before']),
    ...(areRates ? [] : ['the rates of a curve are 0 or more']),
    ...(points.some(({ rate }) => rate > 0) ? [] : ['the curve is 0 everywhere: nobody ever comes']),
  ]
}
