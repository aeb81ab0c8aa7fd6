import type { FrontierPoint } from '../core/index.ts'
import type { Curve, OperatingPoint } from './curve.ts'
import { timeOf } from './law.ts'
import type { LoadPoint } from './points.ts'

/**
 * The frontier, ascending by load: every measured point, and between them what the law says, two loads to every doubling from 1. Where the
 * law does not fit, only what was measured. And the loads asked for, as far as anything is known of them.
 *
 * The interval is where a measurement at that load would fall nine times in ten: Student's t on the scatter of the points about
 * the line, as a factor. A measured pace outside it widens it, and its ends are made to fall with load, as the pace itself does.
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
  const law = fitted.between === 'law' ? fitted.law : undefined
  const measured = all.map((point): FrontierPoint => {
    const seen = asOperating(point)
    const pace = seen.tokensPerSecondPerUser
    if (law === undefined || fitted.line === undefined) return shown(seen)
    const spread = Math.exp(fitted.line.spread(point.batch, point))
    const middle = 1 / timeOf(law, point)
    return shown({ ...seen, low: Math.min(pace, middle / spread), high: Math.max(pace, middle * spread) })
  })
  // Of a law alone, up to where a user has a ninth of the solo limit.
  const greatest = fitted.limit?.load ?? points.at(-1)?.load ?? 8 * Math.max(1, fitted.fit.halfBatch ?? 1)
  const between: FrontierPoint[] = []
  for (const load of new Set([...(law === undefined ? [] : loadsUpTo(greatest)), ...asked])) {
    const point = all.some((known) => known.load === load) ? undefined : curve.at(load)
    if (point !== undefined) between.push(shown(point))
  }
  return falling(bounded([...measured, ...between].sort((a, b) => a.concurrency - b.concurrency)))
}

/** 1, 2, 3, 4, 6, 8, 12, 16, …: two to every doubling. */
function loadsUpTo(greatest: number): readonly number[] {
  const loads: number[] = []
  for (let load = 1; load < greatest; load *= 2) {
    loads.push(load)
    if (load > 1 && 1.5 * load < greatest) loads.push(1.5 * load)
  }
  return loads
}

function asOperating(point: LoadPoint): OperatingPoint {
  const { load, outputTokensPerSecond } = point
  return { load, tokensPerSecondPerUser: 1 / point.stepS, outputTokensPerSecond, source: 'measured' }
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
