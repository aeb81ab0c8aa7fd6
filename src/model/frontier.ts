import type { FrontierPoint } from '../core/index.ts'
import { type Curve, type OperatingPoint, repeating } from './curve.ts'
import { timeOf } from './law.ts'
import type { LoadPoint } from './points.ts'

/** A frontier is to be drawn and read: of more measured loads so many, evenly among them. */
const MOST = 200

/**
 * The frontier, ascending by load: the measured points, and between them what the law says, two loads to every doubling from 1. Where the
 * law does not fit, only what was measured. And the loads asked for, as far as anything is known of them.
 *
 * The interval is where a measurement at that load would fall nine times in ten: Student's t on the scatter of the points about
 * the line, as a factor. A measured pace outside it widens it, and its ends are made to fall with load, as the pace itself does: those of
 * measured loads among themselves, and the others within them, so that what is asked for moves no interval but its own.
 */
export function frontierOf(
  all: readonly LoadPoint[],
  curve: Curve,
  gpus?: number,
  asked: readonly number[] = [],
): readonly FrontierPoint[] {
  const { fitted, points } = curve
  const shown = (point: OperatingPoint): FrontierPoint => ({
    concurrency: point.load,
    tokensPerSecondPerUser: point.tokensPerSecondPerUser,
    outputTokensPerSecond: point.outputTokensPerSecond,
    ...(gpus !== undefined && { tokensPerSecondPerGpu: point.outputTokensPerSecond / gpus }),
    source: point.source === 'measured' ? 'measured' : 'fitted',
    ...(point.low !== undefined && point.high !== undefined && { low: point.low, high: point.high }),
  })
  const calculated = (loads: readonly number[]): readonly FrontierPoint[] =>
    ascending(loads.flatMap((load) => curve.at(load) ?? []).map(shown))

  const wanted = new Set(asked)
  const kept = all.filter((point, i) => i === 0 || isKept(i, all.length) || wanted.has(point.load))
  const [sound, faulty] = [
    kept.filter(({ fault }) => fault === undefined),
    kept.filter(({ fault }) => fault !== undefined),
  ]
  const seen = falling(bounded(sound.map((point) => shown(measured(point, curve)))))

  const known = new Set(all.map((point) => point.load))
  const law = fitted.between === 'law' ? fitted.law : undefined
  // Of a law alone, up to where a user has a ninth of the solo limit.
  const greatest = fitted.limit?.load ?? points.at(-1)?.load ?? 8 * Math.max(1, fitted.fit.halfBatch ?? 1)
  const drawn = (law === undefined ? [] : loadsUpTo(greatest)).filter((load) => !known.has(load))
  const between = within(calculated(drawn), seen)
  const drawnToo = new Set(drawn)
  const extra = calculated([...wanted].filter((load) => !known.has(load) && !drawnToo.has(load)))
  return ascending([
    ...seen,
    ...between,
    ...within(extra, ascending([...seen, ...between])),
    ...faulty.map((point) => shown(measured(point, curve))),
  ])
}

const ascending = (frontier: readonly FrontierPoint[]): readonly FrontierPoint[] =>
  frontier.toSorted((a, b) => a.concurrency - b.concurrency)

/** Of so many, `MOST` evenly, the last among them. */
const isKept = (i: number, all: number): boolean =>
  all <= MOST || Math.floor((i * MOST) / all) !== Math.floor(((i + 1) * MOST) / all)

/** 1, 2, 3, 4, 6, 8, 12, 16, …: two to every doubling. */
function loadsUpTo(greatest: number): readonly number[] {
  const loads: number[] = []
  for (let load = 1; load < greatest; load *= 2) {
    loads.push(load)
    if (load > 1 && 1.5 * load < greatest) loads.push(1.5 * load)
  }
  return loads
}

/** A measured point, with what a law says of one more measurement there, or else how well measurements repeat. */
function measured(point: LoadPoint, { fitted }: Curve): OperatingPoint {
  const { load, outputTokensPerSecond } = point
  const { law, line, limit } = fitted
  const pace = 1 / point.stepS
  const seen = { load, tokensPerSecondPerUser: pace, outputTokensPerSecond, source: 'measured' as const }
  if (line === undefined && law !== undefined) return seen
  if (line === undefined || law === undefined || fitted.between !== 'law') return { ...seen, ...repeating(pace, pace) }
  // Past the limit as many decode as at it, and what was seen of them is the middle.
  const waits = limit !== undefined && load > limit.load
  const spread = Math.exp(line.spread(waits ? Math.min(limit.batch, point.batch) : point.batch, point))
  const middle = waits ? pace : 1 / timeOf(law, point)
  return { ...seen, low: Math.min(pace, middle / spread), high: Math.max(pace, middle * spread) }
}

/**
 * Pace falls with load, so that a user has at least what the intervals of greater loads leave at least, and at most what those of lesser
 * loads leave at most: where the law is carried far, the measured loads bound it. Never past the pace itself.
 */
function bounded(frontier: readonly FrontierPoint[]): readonly FrontierPoint[] {
  let least = 0
  const lows = frontier.toReversed().map(({ low, tokensPerSecondPerUser: pace }) => {
    least = Math.max(least, low ?? 0)
    return Math.min(pace, least)
  })
  let most = Number.POSITIVE_INFINITY
  return frontier.map((point, i) => {
    if (point.low === undefined || point.high === undefined) return point
    most = Math.min(most, point.high)
    const pace = point.tokensPerSecondPerUser
    return { ...point, low: lows[frontier.length - 1 - i] ?? point.low, high: Math.max(pace, most) }
  })
}

/** Widens the intervals until neither end grows with load, which they may where a pace does. */
function falling(frontier: readonly FrontierPoint[]): readonly FrontierPoint[] {
  let high = 0
  const highs = frontier.toReversed().map((point) => {
    high = Math.max(high, point.high ?? high)
    return high
  })
  let low = Number.POSITIVE_INFINITY
  return frontier.map((point, i) => {
    if (point.low === undefined) return point
    low = Math.min(low, point.low)
    return { ...point, low, high: highs[frontier.length - 1 - i] ?? high }
  })
}

/** Each interval between those of the fixed loads on its two sides, as far as its pace allows. Both ascend by load. */
function within(frontier: readonly FrontierPoint[], fixed: readonly FrontierPoint[]): readonly FrontierPoint[] {
  let next = 0
  return frontier.map((point) => {
    const { low, high, tokensPerSecondPerUser: pace, concurrency } = point
    if (low === undefined || high === undefined) return point
    while ((fixed[next]?.concurrency ?? Number.POSITIVE_INFINITY) < concurrency) next++
    const [before, after] = [fixed[next - 1], fixed[next]]
    const between = (end: number, least = 0, most = Number.POSITIVE_INFINITY): number =>
      Math.min(most, Math.max(least, end))
    return {
      ...point,
      low: Math.min(pace, between(low, after?.low, before?.low)),
      high: Math.max(pace, between(high, after?.high, before?.high)),
    }
  })
}
