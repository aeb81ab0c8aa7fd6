import type { TraceRow } from '../../core/index.ts'

/** Rows of a trace, by their index. */
export interface Stretch {
  /** From here on they are played, so that as many are in flight as should be when the first that is judged comes. */
  readonly warm: number
  /** The first that is judged, and the one after the last. */
  readonly from: number
  readonly to: number
}

export interface StretchWanted {
  /** Rows that are judged; of fewer all are. */
  readonly count: number
  /** How long before them the load is there. */
  readonly warmS: number
  stayS(row: TraceRow): number
}

/** A burst at one instant has no time of its own. */
const LEAST_S = 1e-6

/**
 * All rows, or so many one after another that have most in flight while they come, which by Little's law is
 *
 *     L = Σ stay / (instant of the last − of the first)
 */
export function busiestStretch(rows: readonly TraceRow[], { count, warmS, stayS }: StretchWanted): Stretch {
  if (rows.length <= count) return { warm: 0, from: 0, to: rows.length }
  let [from, most, stays] = [0, 0, 0]
  for (const [i, row] of rows.entries()) {
    stays += stayS(row)
    const first = rows[i - count + 1]
    if (first === undefined) continue
    const inFlight = stays / Math.max(LEAST_S, row.atS - first.atS)
    if (inFlight > most * (1 + 1e-9)) [from, most] = [i - count + 1, inFlight]
    stays -= stayS(first)
  }
  const warmFromS = (rows[from]?.atS ?? 0) - warmS
  let warm = from
  while (warm > 0 && (rows[warm - 1]?.atS ?? 0) >= warmFromS) warm--
  return { warm, from, to: from + count }
}
