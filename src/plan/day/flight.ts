import type { Trace } from '../../core/index.ts'
import { PEAK_SHARE, poissonPeak } from '../peak.ts'
import { type Curve, createCurve } from './curve.ts'
import { type DaySource, lastOf } from './source.ts'

/** How many are in flight in the course of a day. */
export interface Flight {
  readonly lengthS: number
  readonly requests: number
  readonly mostInFlight: number
  /** What is exceeded one hundredth of the time; of a curve at its top. */
  readonly peakInFlight: number
  readonly pieces: readonly FlightPiece[]
}

/** One of so many equal pieces of the day. */
export interface FlightPiece {
  readonly atS: number
  /** Means. */
  readonly arrivalsPerSecond: number
  readonly inFlight: number
  /** What a fleet for just this piece has room for. */
  readonly peakInFlight: number
}

/** Of 24 hours every five minutes. */
const PIECES = 288

/** A request of N output tokens stays `stayS(N)`, whatever else is in flight: nobody waits for another. */
export function flightOf(source: DaySource, stayS: (outputTokens: number) => number, outputTokens: number): Flight {
  return source.kind === 'curve'
    ? flightOfCurve(createCurve(source.points), stayS(outputTokens))
    : flightOfTrace(source.trace, stayS)
}

/**
 * Those in flight at t are those that came in the W before it, and chance makes of them a Poisson distribution, also where the rate changes
 * (M_t/G/∞):
 *
 *     m(t) = Λ(t) − Λ(t − W)
 *
 * Between two bends of the rate, or of the rate W before, m is a parabola. Its greatest lies at a bend or where both rates are equal.
 */
function flightOfCurve(curve: Curve, stayS: number): Flight {
  const { lengthS, requests, until } = curve
  const inFlight = (atS: number): number => Math.max(0, until(atS) - until(atS - stayS))
  const turns = turnsOf(curve, stayS, inFlight)
  const pieceS = lengthS / PIECES
  let next = 0
  const pieces = Array.from({ length: PIECES }, (_, i): FlightPiece & { readonly most: number } => {
    const [atS, endS] = [i * pieceS, (i + 1) * pieceS]
    const knots = [atS]
    for (let turn = turns[next]; turn !== undefined && turn < endS; turn = turns[++next]) {
      if (turn > atS) knots.push(turn)
    }
    knots.push(endS)
    const most = Math.max(...knots.map(inFlight))
    return {
      atS,
      arrivalsPerSecond: (until(endS) - until(atS)) / pieceS,
      inFlight: areaOfParabolas(knots, inFlight) / pieceS,
      peakInFlight: poissonPeak(most),
      most,
    }
  })
  const mostInFlight = Math.max(...pieces.map(({ most }) => most))
  return {
    lengthS,
    requests,
    mostInFlight,
    peakInFlight: poissonPeak(mostInFlight),
    pieces: pieces.map(({ most: _, ...piece }) => piece),
  }
}

/** Where m bends or turns, ascending. */
function turnsOf({ bends, lengthS }: Curve, stayS: number, inFlight: (atS: number) => number): readonly number[] {
  const late = bends.map((atS) => (atS + stayS) % lengthS)
  const knots = [...new Set([...bends, ...late])].sort((a, b) => a - b)
  const vertices = knots.slice(1).flatMap((to, i) => {
    const from = knots[i] ?? to
    // Of the parabola through both ends and the middle.
    const half = (to - from) / 2
    const [left, middle, right] = [inFlight(from), inFlight(from + half), inFlight(to)]
    const bend = left - 2 * middle + right
    const offset = (half * (left - right)) / (2 * bend)
    return bend < 0 && Math.abs(offset) < half ? [from + half + offset] : []
  })
  return [...knots, ...vertices].sort((a, b) => a - b)
}

/** Simpson's rule, which is exact for them. */
function areaOfParabolas(knots: readonly number[], of: (at: number) => number): number {
  return knots.slice(1).reduce((sum, to, i) => {
    const from = knots[i] ?? to
    return sum + ((to - from) / 6) * (of(from) + 4 * of((from + to) / 2) + of(to))
  }, 0)
}

/** The rows one after another, beside their ends in order; each step is counted for as long as it lasts, from the first row to the last. */
function flightOfTrace({ rows }: Trace, stayS: (outputTokens: number) => number): Flight {
  const lengthS = lastOf(rows)
  const pieceS = lengthS / PIECES
  const ends = new Float64Array(rows.length)
  rows.forEach(({ atS, outputTokens = 0 }, i) => {
    ends[i] = atS + stayS(outputTokens)
  })
  ends.sort()
  const [came, area, most] = [new Float64Array(PIECES), new Float64Array(PIECES), new Float64Array(PIECES)]
  /** Seconds with so many in flight. */
  const seconds = new Float64Array(rows.length + 1)
  let [inFlight, nowS, row, end, piece, mostInFlight] = [0, 0, 0, 0, 0, 0]

  const holdUntil = (untilS: number): void => {
    seconds[inFlight] = (seconds[inFlight] ?? 0) + untilS - nowS
    for (;;) {
      const pieceEndS = piece === PIECES - 1 ? lengthS : (piece + 1) * pieceS
      const stopS = Math.min(untilS, pieceEndS)
      area[piece] = (area[piece] ?? 0) + inFlight * (stopS - nowS)
      if (stopS > nowS) most[piece] = Math.max(most[piece] ?? 0, inFlight)
      nowS = stopS
      if (pieceEndS > untilS || piece === PIECES - 1) return
      piece += 1
    }
  }
  while (row < rows.length) {
    const [comesS, endsS] = [rows[row]?.atS ?? 0, ends[end] ?? Infinity]
    holdUntil(Math.min(comesS, endsS, lengthS))
    if (endsS <= comesS) {
      inFlight -= 1
      end += 1
      continue
    }
    inFlight += 1
    row += 1
    mostInFlight = Math.max(mostInFlight, inFlight)
    came[piece] = (came[piece] ?? 0) + 1
  }
  const peakInFlight = levelOf(seconds, PEAK_SHARE * lengthS)
  return {
    lengthS,
    requests: rows.length,
    mostInFlight,
    peakInFlight,
    pieces: Array.from({ length: PIECES }, (_, i) => ({
      atS: i * pieceS,
      arrivalsPerSecond: (came[i] ?? 0) / pieceS,
      inFlight: (area[i] ?? 0) / pieceS,
      // What the fleet for all of it passes over, this one need not hold either.
      peakInFlight: Math.min(most[i] ?? 0, peakInFlight),
    })),
  }
}

/** The least number in flight with so much time at it or below. */
function levelOf(seconds: Float64Array, enoughS: number): number {
  let sum = 0
  const level = seconds.findIndex((lasts) => {
    sum += lasts
    return sum >= enoughS * (1 - 1e-12)
  })
  return level < 0 ? seconds.length - 1 : level
}
