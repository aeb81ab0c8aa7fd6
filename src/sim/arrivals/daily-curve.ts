import { type ArrivalProcess, arrivalsOf } from '../../core/index.ts'

/** A rate at an instant of the day, per second. */
export interface CurvePoint {
  readonly atS: number
  readonly rate: number
}

export interface CurvePlan {
  /** The first at 0; the rate is straight between two, and after the last the day begins anew. */
  readonly points: readonly CurvePoint[]
  readonly process: ArrivalProcess
  readonly seed: string
}

/**
 * The times of arrivals at a rate that goes up and down, in seconds, ascending, without end: a process of one arrival a second on the
 * clock Λ(t) = ∫ rate, as `arrivalsOf` has it for its ramp, so that a Poisson process stays one.
 *
 *     rate  ╱╲__        ╱╲__         Λ of a whole day is what its trapezes hold together:
 *         _╱    ╲______╱    ╲__      width · (rate at its start + rate at its end) / 2
 *         0            day
 */
export function* arrivalsOnCurve({ points, process, seed }: CurvePlan): Generator<number, never> {
  const pieces = piecesOf(points)
  const dayS = points.at(-1)?.atS ?? 0
  const perDay = pieces.at(-1)?.until ?? 0
  let [day, at] = [0, 0]
  for (const turns of arrivalsOf({ process, rate: 1, seed })) {
    let left = turns - day * perDay
    while (left >= perDay) {
      day += 1
      at = 0
      left = turns - day * perDay
    }
    while (at < pieces.length - 1 && left >= (pieces[at]?.until ?? 0)) at += 1
    const piece = pieces[at]
    if (piece !== undefined) yield day * dayS + piece.startS + secondsIn(piece, left)
  }
  throw new RangeError('arrivals never end')
}

interface Piece {
  readonly startS: number
  readonly lengthS: number
  readonly from: number
  readonly to: number
  /** Λ at its end. */
  readonly until: number
  readonly before: number
}

function piecesOf(points: readonly CurvePoint[]): readonly Piece[] {
  let before = 0
  return points.slice(1).map((end, index) => {
    const start = points[index] ?? end
    const lengthS = end.atS - start.atS
    const until = before + (lengthS * (start.rate + end.rate)) / 2
    const piece = { startS: start.atS, lengthS, from: start.rate, to: end.rate, until, before }
    before = until
    return piece
  })
}

/** t of from·t + (to − from)·t²/(2·length) = Λ − before, by the root that does not cancel. */
function secondsIn({ lengthS, from, to, before }: Piece, turns: number): number {
  const area = Math.max(0, turns - before)
  if (area === 0) return 0
  const slope = (to - from) / lengthS
  const root = from + Math.sqrt(Math.max(0, from * from + 2 * slope * area))
  return root > 0 ? Math.min(lengthS, (2 * area) / root) : lengthS
}
