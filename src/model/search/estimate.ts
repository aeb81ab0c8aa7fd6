import { fitLaw } from '../fit/fit.ts'
import type { LoadPoint } from '../points.ts'

/** A law that is this near to all its points may answer for the loads between them. */
const GOOD_PCT = 3
/** One measurement repeats no better than this. */
export const NOISE = 0.01
/** a/b of an ordinary server: a first guess where one load was measured, which cannot tell a from b. */
const HALF_BATCH = 16

/** Where the pace falls to a floor, by what was measured so far. */
export interface Estimate {
  /** Requests in flight, not whole; infinite where no load is foretold to be too slow. */
  readonly load: number
  /** By how much pace falls there when the load grows, as a ratio of small relative changes: b·B / T. */
  readonly steepness: number
}

interface Terms {
  readonly baseS: number
  readonly perSequenceS: number
}

/**
 * T(B) = 1/floor, solved for B and turned into a load. The law fitted to all points answers while it fits. Where the points bend, or
 * the point nearest to the floor is off the law by more than noise, a straight piece does: between the loads on both sides of the
 * floor, or through the two nearest below it.
 */
export function loadAtFloor(all: readonly LoadPoint[], floor: number): Estimate | undefined {
  const points = all.filter((point) => point.fault === undefined)
  const terms = termsNear(points, 1 / floor)
  if (terms === undefined) return undefined
  const { baseS, perSequenceS } = terms
  if (!(perSequenceS > 0)) return { load: Number.POSITIVE_INFINITY, steepness: 0 }
  const batch = (1 / floor - baseS) / perSequenceS
  return { load: loadOfBatch(points, batch), steepness: Math.max(0, 1 - baseS * floor) }
}

function termsNear(points: readonly LoadPoint[], stepS: number): Terms | undefined {
  const [first] = points
  if (first === undefined) return undefined
  if (points.length === 1) {
    const perSequenceS = first.stepS / (HALF_BATCH + first.batch)
    return { baseS: HALF_BATCH * perSequenceS, perSequenceS }
  }
  const { law, fit, between } = fitLaw(points)
  const nearest = points.reduce((a, b) => (distance(b, stepS) < distance(a, stepS) ? b : a))
  const off = law === undefined ? 0 : Math.log((law.baseS + law.perSequenceS * nearest.batch) / nearest.stepS)
  if (law !== undefined && between === 'law' && fit.errorPct <= GOOD_PCT && Math.abs(off) < 1.5 * NOISE) return law
  return pieceAround(points, stepS) ?? law
}

const distance = (point: LoadPoint, stepS: number): number => Math.abs(Math.log(point.stepS / stepS))

/** The line through the nearest loads on both sides of that step time; without both, through the two greatest that differ enough. */
function pieceAround(points: readonly LoadPoint[], stepS: number): Terms | undefined {
  const above = points.find((point) => point.stepS > stepS)
  const below = points.findLast((point) => point.stepS <= stepS && (above === undefined || point.load < above.load))
  if (above !== undefined && below !== undefined) return lineThrough(below, above)
  const end = below === undefined ? points : points.toReversed()
  const [one] = end
  const other = end.find((point) => one !== undefined && Math.abs(Math.log(point.batch / one.batch)) > Math.log(1.2))
  return one === undefined || other === undefined ? undefined : lineThrough(one, other)
}

function lineThrough(one: LoadPoint, other: LoadPoint): Terms {
  const perSequenceS = (other.stepS - one.stepS) / (other.batch - one.batch)
  return { baseS: one.stepS - perSequenceS * one.batch, perSequenceS }
}

/**
 * How many in flight make so many decode: in straight pieces between the points, which ascend by load; beyond them in the proportion
 * of the nearest. In flight are also those that wait or are in prefill, and all replicas.
 */
function loadOfBatch(points: readonly LoadPoint[], batch: number): number {
  const after = points.findIndex((point) => point.batch >= batch)
  const [low, high] = [points[after - 1], points[after]]
  if (low !== undefined && high !== undefined) {
    return low.load + ((batch - low.batch) / (high.batch - low.batch)) * (high.load - low.load)
  }
  const nearest = high ?? points.at(-1)
  return nearest === undefined ? batch : (batch * nearest.load) / nearest.batch
}

/** A part decoding this much smaller than at the best load looks like a queue. */
const QUEUING = 0.6
/** A load that nearly fills the server tells as much as one that does. */
const NEAR = 0.9

/**
 * The load that would just fill the server, where the greatest load looks as if most of it waits: so few of those in flight decode.
 * One point cannot tell a queue from long prefill; a point at this load can. Undefined where nothing looks so, or it was looked at.
 */
export function loadThatFills(all: readonly LoadPoint[]): number | undefined {
  const points = all.filter((point) => point.fault === undefined)
  const last = points.at(-1)
  if (last === undefined || points.length < 2) return undefined
  const inFlightPerDecoding = Math.min(...points.map((point) => point.load / point.batch))
  if (last.batch / last.load > QUEUING / inFlightPerDecoding) return undefined
  const load = Math.max(1, Math.round(last.batch * inFlightPerDecoding))
  const looked = points.some((point) => point.load >= NEAR * load && point.load < last.load)
  return looked || load >= last.load ? undefined : load
}
