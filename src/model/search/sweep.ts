import { createCurve } from '../curve.ts'
import { type Fitted, fitLaw } from '../fit/fit.ts'
import { leaveOneOut } from '../fit/leave-one-out.ts'
import type { Sample } from '../fit/line.ts'
import type { LoadPoint } from '../points.ts'
import { loadThatFills } from './estimate.ts'

/** Points that a sweep may take. */
const MOST_POINTS = 8
/** A frontier of no more loads than this is measured whole where they do not foretell one another: kernels for small batches have steps. */
const FEW_LOADS = 16
/** A frontier is known when no load is foretold worse than this by all the others. */
const PRECISION = 0.03
/** Fewer loads than this cannot be foretold by the others: a line through three leaves one to judge by. */
const LEAST_LOADS = 4
/** Doubling the load is worth while it brings this much more. */
const LEAST_GAIN = 0.03
/** b·B/a from which doubling brings less than that: 2·(1 + x) / (1 + 2x) = 1.03. */
const HALF_BATCHES = (2 - (1 + LEAST_GAIN)) / (2 * (1 + LEAST_GAIN) - 2)
/** The second load, which tells a from b. */
const FIRST_LEAP = 16
/** Then four times the greatest: two loads make a law of any two speeds, and a server that is full answers many more only slowly. */
const BLIND_LEAP = 4
/** Once three loads agree on a law, to where it says, but not more than so many times the greatest. */
const LEAP = 16
/** Neighbours nearer than this have no load between them worth a point. */
const LEAST_GAP = 1.3
/** A greatest load so near to the end of the range stands for it. */
const NEAR = 1.25

export interface SweepTask {
  /** Ascending by load; those whose speed is not the server's own too. */
  readonly points: readonly LoadPoint[]
  readonly measured: number
  /** No higher load is tried. */
  readonly highest: number
}

export interface Swept {
  /** The frontier is known from 1 to here. */
  readonly upTo: number
  /** What ends it: no gain beyond, the server's own limit, this client, failures, too short a window, or the highest load that may be tried. */
  readonly end: 'gain' | 'serverLimit' | 'clientLimit' | 'failures' | 'tooShort' | 'measuredRange'
  /** The load beyond the end of which nothing can be said, where one was tried. */
  readonly stop?: number
  /** The worst that a load is foretold by the others; absent where too few loads are known to tell. */
  readonly error?: number
  readonly known: boolean
  readonly fitted: Fitted
}

/** What is known so far, and what to measure next; without that the sweep is over. */
export interface SweepStep extends Swept {
  readonly next?: number
}

/**
 * Where to measure so that the whole frontier is known from few loads, as a policy. First its two ends, for they hold a line best; then
 * wherever the frontier is least certain, until every load is foretold by the others within 3 %.
 */
export function sweepStep({ points, measured, highest }: SweepTask): SweepStep {
  const fitted = fitLaw(points)
  const reach = reachOf(points, fitted, highest)
  const kept = keptOf(points, fitted)
  const error = errorOf(kept, fitted, reach.load)
  const upTo = Math.min(reach.load, kept.at(-1)?.load ?? 0)
  const sound = points.filter(({ fault }) => fault === undefined)
  const inside = sound.filter(({ load }) => load <= upTo)
  // One user alone is a whole frontier only where the server takes no more at once.
  const every = upTo > 0 && inside.length >= Math.floor(upTo) && (inside.length > 1 || reach.end === 'serverLimit')
  const known = reach.next === undefined && (every || (error !== undefined && error <= PRECISION))
  const swept: Swept = {
    upTo,
    end: reach.next === undefined ? reach.end : 'measuredRange',
    ...(reach.stop !== undefined && { stop: reach.stop }),
    ...(error !== undefined && { error }),
    known,
    fitted,
  }
  if (measured === 0) return { ...swept, next: 1 }
  const isSmall = reach.load <= FEW_LOADS
  if (measured >= MOST_POINTS && !isSmall) return swept
  const [ends, gap] = isSmall ? [sound, 1] : [kept, LEAST_GAP]
  const next =
    loadThatFills(points) ?? reach.next ?? (known ? undefined : leastCertain(points, ends, fitted, reach.load, gap))
  return { ...swept, ...(next !== undefined && { next }) }
}

interface Reach {
  /** The greatest load that matters, as far as is known. */
  readonly load: number
  readonly end: Swept['end']
  readonly stop?: number
  /** It is not reached yet: measure this. */
  readonly next?: number
}

const END_BY_FAULT: Readonly<Record<string, Swept['end']>> = {
  generatorSaturated: 'clientLimit',
  cutShort: 'tooShort',
  hardlyMeasured: 'tooShort',
}

/** How far the frontier goes: to the server's limit, to where more load brings nothing more, or to what the client can do. */
function reachOf(points: readonly LoadPoint[], fitted: Fitted, highest: number): Reach {
  const sound = points.filter((point) => point.fault === undefined)
  const greatest = sound.at(-1)
  const faulty = points.find((point) => point.fault !== undefined && point.load > (greatest?.load ?? 0))
  const least = greatest?.load ?? 1
  if (fitted.limit !== undefined) return { load: fitted.limit.load, end: 'serverLimit' }
  const { fit, between } = fitted
  const inFlightPerDecoding = greatest === undefined ? 1 : greatest.load / greatest.batch
  const foretold =
    fit.halfBatch === undefined ? Number.POSITIVE_INFINITY : HALF_BATCHES * fit.halfBatch * inFlightPerDecoding
  const law = between === 'law' && sound.length >= 3
  if ((law && foretold <= NEAR * least) || gainsLittle(sound)) return { load: least, end: 'gain' }
  if (faulty !== undefined || greatest === undefined) {
    return { load: least, end: END_BY_FAULT[faulty?.fault ?? ''] ?? 'failures', ...(faulty && { stop: faulty.load }) }
  }
  if (least >= highest) return { load: least, end: 'measuredRange' }
  const far = law ? Math.min(foretold, LEAP * least) : BLIND_LEAP * least
  const next = least === 1 ? FIRST_LEAP : Math.ceil(far)
  return { load: least, end: 'gain', next: Math.min(next, highest) }
}

/** To the last load from the greatest of half its size or less, output grew by less than 3 % a doubling. */
function gainsLittle(sound: readonly LoadPoint[]): boolean {
  const last = sound.at(-1)
  const before = last && sound.findLast(({ load }) => 2 * load <= last.load)
  if (before === undefined || last === undefined) return false
  const doublings = Math.log2(last.load / before.load)
  return Math.log2(last.outputTokensPerSecond / before.outputTokensPerSecond) < doublings * Math.log2(1 + LEAST_GAIN)
}

/** The points that the fit stands on. */
function keptOf(points: readonly LoadPoint[], { fit }: Fitted): readonly LoadPoint[] {
  const aside = new Set(fit.setAside?.map(({ point }) => point))
  return points.filter(({ members }) => !members.some((member) => aside.has(member)))
}

/**
 * The worst relative error of what the other points say of one: of the law at its batch, and, between two others, of the curve at its load,
 * which also has to know how many of those in flight decode.
 */
function errorOf(kept: readonly LoadPoint[], { between }: Fitted, upTo: number): number | undefined {
  if (kept.length < LEAST_LOADS) return undefined
  const samples: readonly Sample[] = kept.map(({ batch, stepS, members }) => ({ batch, stepS, weight: members.length }))
  const ofLaw = between === 'law' ? leaveOneOut(samples) : []
  // Just past a server's limit the batch is still that of the law, but no longer the load.
  const inside = kept.filter(({ load }) => load <= upTo)
  const ofCurve = inside.slice(1, -1).map((left) => {
    const others = inside.filter((point) => point !== left)
    const told = createCurve(others, fitLaw(others)).at(left.load)
    return told === undefined ? 1 : told.tokensPerSecondPerUser * left.stepS - 1
  })
  const errors = [...ofLaw, ...ofCurve]
  return errors.length === 0 ? undefined : Math.max(...errors.map(Math.abs))
}

/**
 * The middle, in doublings, of the gap between two of `ends` where the frontier is least certain: by the law's own interval there, and the
 * wider the gap the more. Where no law fits, straight pieces are least certain where the pace falls most. Undefined where no gap is left.
 */
function leastCertain(
  points: readonly LoadPoint[],
  ends: readonly LoadPoint[],
  { line, between }: Fitted,
  upTo: number,
  leastGap: number,
): number | undefined {
  let worst: { readonly load: number; readonly doubt: number } | undefined
  ends.forEach((before, i) => {
    const after = ends[i + 1]
    if (after === undefined || after.load < leastGap * before.load) return
    const load = Math.round(Math.sqrt(before.load * Math.min(after.load, upTo)))
    if (load > upTo || load <= before.load || points.some((point) => point.load === load)) return
    const spread = line?.spread(Math.sqrt(before.batch * after.batch)) ?? 0
    const gap = Math.log(after.load / before.load)
    const doubt = between === 'law' ? spread * gap : Math.abs(Math.log(after.stepS / before.stepS))
    if (worst === undefined || doubt > worst.doubt) worst = { load, doubt }
  })
  return worst?.load
}
