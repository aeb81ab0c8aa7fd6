import { type Trace, TwospeedError } from '../../core/index.ts'
import type { CurvePoint } from '../../sim/index.ts'
import { areaOf } from './curve.ts'

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

/** Throws INVALID_WORK for a trace that tells no rate, or whose rows do not tell how long they are. */
export function demandOfDay(source: DaySource): DayDemand {
  if (source.kind === 'curve') return { arrivalsPerSecond: areaOf(source.points) / lengthOf(source) }
  const { rows } = source.trace
  const [input, output] = [meanOf(rows.map((row) => row.inputTokens)), meanOf(rows.map((row) => row.outputTokens))]
  if (output === undefined) {
    throw new TwospeedError(
      'INVALID_WORK',
      'the trace has rows that do not say how long their answers are, and a plan stands on it',
      'Give rows of atS, inputTokens and outputTokens.',
    )
  }
  return {
    arrivalsPerSecond: (rows.length - 1) / lengthOf(source),
    ...(input !== undefined && { inputTokens: input }),
    outputTokens: output,
  }
}

/** Of a trace from its first row to its last: n rows are n − 1 gaps. */
export function lengthOf(source: DaySource): number {
  const lengthS = source.kind === 'curve' ? (source.points.at(-1)?.atS ?? 0) : (source.trace.rows.at(-1)?.atS ?? 0)
  if (lengthS > 0) return lengthS
  throw new TwospeedError(
    'INVALID_WORK',
    source.kind === 'curve'
      ? 'a curve of no length has no rate'
      : 'all requests of the trace come at one instant, which tells no rate',
    'Give requests of at least two instants.',
  )
}

/** Absent where one of them is. */
function meanOf(lengths: readonly (number | undefined)[]): number | undefined {
  let sum = 0
  for (const length of lengths) {
    if (length === undefined) return undefined
    sum += length
  }
  return sum / lengths.length
}
