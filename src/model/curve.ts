import type { UnknownLoad } from '../core/index.ts'
import { LOOSE } from './fit/errors.ts'
import type { Fitted } from './fit/fit.ts'
import { type Law, type PerSequence, stepSeconds, timeOf } from './law.ts'
import { type LoadPoint, REPEATS } from './points.ts'

/** What a deployment gives at one load. */
export interface OperatingPoint {
  /** Requests in flight. */
  readonly load: number
  readonly tokensPerSecondPerUser: number
  /** Of the whole server. */
  readonly outputTokensPerSecond: number
  readonly ttftMs?: number
  /** The share of requests that met every objective: counted at a measured load, in a straight piece between two. */
  readonly attainment?: number
  /** `measured` at a load that was; `fitted` between two such; `extrapolated` outside them all. */
  readonly source: 'measured' | 'fitted' | 'extrapolated'
  /** Where a measurement of the pace would fall nine times in ten: by the law, or between two loads that pieces join. */
  readonly low?: number
  readonly high?: number
}

/**
 * So many times the greatest measured load a law is believed at the most: farther out something else ends the frontier (the memory for
 * contexts, a cap on the batch) that no point has shown.
 */
const FARTHEST = 4
/** Where nothing was measured, more in flight than any server holds. */
const MOST = 2 ** 16

/** Every load from the measured ones: their own figures where there are, else by the law or by pieces, as the fit decided. */
export interface Curve {
  /** The loads that were measured and can be chosen, ascending. */
  readonly points: readonly LoadPoint[]
  readonly fitted: Fitted
  /** Outside the measured loads there is an answer only where a law is believed, and not beyond `FARTHEST` times the greatest. */
  at(load: number): OperatingPoint | undefined
}

export function createCurve(all: readonly LoadPoint[], fitted: Fitted): Curve {
  const points = all.filter((point) => point.fault === undefined)
  const law = fitted.between === 'law' ? fitted.law : undefined

  const at = (load: number): OperatingPoint | undefined => {
    const place = placeOf(points, load)
    if (place === undefined) return law === undefined ? undefined : lawAlone(law, load, fitted.fit.replicas)
    const { before, after, share, inside } = place
    if (before.load === load) return measured(before)
    if (!inside && (!fitted.beyond || load > FARTHEST * before.load)) return undefined
    const of = perSequenceOf({ ...place, load })
    const { batch, stepS: piece } = pieceAt({ ...place, load }, fitted, of)
    // Past the highest output, and where more only wait, only what was measured is believed.
    const waits = fitted.limit !== undefined && load > fitted.limit.load
    const believed = waits || load > (fitted.highest ?? load) ? undefined : law
    const stepS = believed === undefined ? piece : timeOf(believed, { ...of, batch })
    // Replicas, and the first token of every answer, which comes without a decode step.
    const perBatchStep = (point: LoadPoint): number => (point.outputTokensPerSecond * point.stepS) / point.batch
    const tokensPerBatchStep = perBatchStep(before) + share * (perBatchStep(after) - perBatchStep(before))
    const pace = 1 / stepS
    const decoding = waits ? Math.min(batch, fitted.limit.batch) : batch
    const [low, high] =
      believed === undefined && !(waits && law !== undefined)
        ? betweenPaces(before, after, pace)
        : aroundLaw(fitted, pace, decoding, of)
    if (!inside && high !== undefined && high > LOOSE * pace) return undefined
    // Fewer in flight than the least load measured wait no longer than it, and no fewer of them have what they are to have.
    const known = (of: (point: LoadPoint) => number | undefined): number | undefined =>
      inside ? between(of(before), of(after), share) : load < before.load ? of(before) : undefined
    const wait = known((point) => point.ttftMs)
    const attainment = known((point) => point.attainment)
    return {
      load,
      tokensPerSecondPerUser: pace,
      outputTokensPerSecond: (tokensPerBatchStep * batch) / stepS,
      ...(wait !== undefined && { ttftMs: wait }),
      ...(attainment !== undefined && { attainment }),
      source: inside ? 'fitted' : 'extrapolated',
      ...(low !== undefined && high !== undefined && { low, high }),
    }
  }
  return { points, fitted, at }
}

/** A load with how many decode at once there, and what their step takes. */
type Decoding = Pick<LoadPoint, 'load' | 'batch' | 'stepS'>

/**
 * In a straight piece between two loads. A server's limit that lies between them is a corner: up to it those that decode grow with the load,
 * past it they stay as many.
 *
 *     decoding │      ╭────── · after
 *              │    ╱ limit
 *              │  ╱
 *              │· before
 *              └───────────── in flight
 */
function pieceAt(place: Place & { readonly load: number }, fitted: Fitted, of: PerSequence): Decoding {
  const { before, after, inside, load } = place
  const { limit } = fitted
  if (!inside) {
    // In flight and decoding keep the proportion of the nearest point, but for those that only wait.
    const grows = load / before.load
    if (limit === undefined || load < before.load) return { load, batch: before.batch * grows, stepS: before.stepS }
    // Where all in flight were taken to decode, their step grows as they wait.
    return before.batch > limit.batch
      ? { load, batch: before.batch * grows, stepS: before.stepS * grows }
      : { load, batch: before.batch, stepS: before.stepS }
  }
  if (limit === undefined || limit.load <= before.load || limit.load >= after.load) return onPiece(before, after, load)
  // Where all in flight were taken to decode, their step grew as they waited.
  const held = after.stepS * Math.min(1, limit.batch / after.batch)
  const { batch } = limit
  const stepS = fitted.between === 'law' && fitted.law !== undefined ? timeOf(fitted.law, { ...of, batch }) : held
  const corner: Decoding = { load: limit.load, batch, stepS }
  return load <= limit.load ? onPiece(before, corner, load) : onPiece(corner, after, load)
}

function onPiece(before: Decoding, after: Decoding, load: number): Decoding {
  const share = after.load > before.load ? (load - before.load) / (after.load - before.load) : 0
  return {
    load,
    batch: before.batch + share * (after.batch - before.batch),
    stepS: before.stepS + share * (after.stepS - before.stepS),
  }
}

/** Why a curve answers nothing at a load. */
export function whyUnknown({ points, fitted }: Curve, load: number): UnknownLoad {
  if (load > FARTHEST * (points.at(-1)?.load ?? MOST)) return 'tooFar'
  return fitted.beyond ? 'tooLoose' : 'betweenOnly'
}

type Ends = readonly [low?: number, high?: number]

function aroundLaw({ line }: Fitted, pace: number, batch: number, of: PerSequence): Ends {
  if (line === undefined) return []
  const factor = Math.exp(line.spread(batch, of))
  return [pace / factor, pace * factor]
}

/** Pace falls with load, so that in a piece between two loads it is between theirs. */
function betweenPaces(before: LoadPoint, after: LoadPoint, pace: number): Ends {
  const [least, most] = [1 / Math.max(before.stepS, after.stepS), 1 / Math.min(before.stepS, after.stepS)]
  const { low, high } = repeating(Math.min(pace, least), Math.max(pace, most))
  return [low, high]
}

/** Where a measurement falls that was seen between these. */
export function repeating(least: number, most: number): Required<Pick<OperatingPoint, 'low' | 'high'>> {
  return { low: least / REPEATS, high: most * REPEATS }
}

function measured(point: LoadPoint): OperatingPoint {
  return {
    load: point.load,
    tokensPerSecondPerUser: 1 / point.stepS,
    ...(point.repeatsS !== undefined && repeating(1 / point.repeatsS[1], 1 / point.repeatsS[0])),
    outputTokensPerSecond: point.outputTokensPerSecond,
    ...(point.ttftMs !== undefined && { ttftMs: point.ttftMs }),
    ...(point.attainment !== undefined && { attainment: point.attainment }),
    source: 'measured',
  }
}

/** Nothing was measured and a law was given: everyone in flight decodes, alike on all replicas. */
function lawAlone(law: Law, load: number, replicas = 1): OperatingPoint | undefined {
  if (load > MOST) return undefined
  const stepS = stepSeconds(law, { batch: load / replicas })
  return { load, tokensPerSecondPerUser: 1 / stepS, outputTokensPerSecond: load / stepS, source: 'extrapolated' }
}

/** What a sequence holds and brings at a load: the share of prompts that are its own falls as 1 / load. */
function perSequenceOf({ before, after, share, load }: Place & { readonly load: number }): PerSequence {
  const contextTokens = between(before.contextTokens, after.contextTokens, share)
  const promptTokens = between(before.promptTokens, after.promptTokens, share)
  const own = between(ownLoad(before), ownLoad(after), share)
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    ...(promptTokens !== undefined && { promptTokens }),
    ...(own !== undefined && { othersShare: Math.max(0, 1 - own / load) }),
  }
}

/** One user to a replica, where users are held. */
const ownLoad = ({ othersShare, load }: LoadPoint): number | undefined =>
  othersShare === undefined ? undefined : (1 - othersShare) * load

interface Place {
  readonly before: LoadPoint
  readonly after: LoadPoint
  readonly share: number
  readonly inside: boolean
}

function placeOf(points: readonly LoadPoint[], load: number): Place | undefined {
  const [least, greatest] = [points[0], points.at(-1)]
  if (least === undefined || greatest === undefined) return undefined
  if (load < least.load) return { before: least, after: least, share: 0, inside: false }
  if (load > greatest.load) return { before: greatest, after: greatest, share: 0, inside: false }
  const next = indexAbove(points, load)
  const before = points[next - 1] ?? least
  const after = points[next] ?? before
  const share = after === before ? 0 : (load - before.load) / (after.load - before.load)
  return { before, after, share, inside: true }
}

/** Of the first point above a load, found by halving: a points file may have many rows, and every one is asked for. */
function indexAbove(points: readonly LoadPoint[], load: number): number {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.load ?? 0) > load) high = middle
    else low = middle + 1
  }
  return low
}

/** What no law foretells, such as TTFT, is in a straight piece between two points; beyond the greatest nothing is known. */
function between(before: number | undefined, after: number | undefined, share: number): number | undefined {
  return before === undefined || after === undefined ? undefined : before + share * (after - before)
}
