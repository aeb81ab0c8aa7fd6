import type { Trace } from '../../core/index.ts'
import { createSource, type Source } from '../../sim/index.ts'
import type { SimulatedUnit } from '../candidate.ts'
import { createCrowd, type RequestLengths } from './crowd.ts'
import type { ComingRequests } from './demand-of.ts'
import { partOf } from './fleet-of-units.ts'
import { type JudgedRun, judgedRun, type Limits, percentileOf } from './judged-run.ts'
import { type SeenShare, shareOf } from './share-interval.ts'

/** What a fleet did under what comes. */
export interface Look extends SeenShare {
  readonly units: number
  readonly p10TokensPerSecond?: number
  readonly ttftMs: { readonly p50: number; readonly p99: number }
  /** Of the whole fleet, as what came. */
  readonly inFlight: number
  readonly arrivalsPerSecond: number
  readonly residual: number
  readonly overloaded: boolean
  /** Shares of those that were judged: whose first token was late, and whose pace was below the floor. */
  readonly missed: { readonly late: number; readonly slow: number }
  /** Engines that were simulated, with their share of what comes, where they are not all. */
  readonly slice?: { readonly engines: number; readonly of: number }
  /** All requests that were simulated. */
  readonly sent: number
}

export interface Subject {
  readonly unit: SimulatedUnit
  readonly lengths: RequestLengths
  readonly limits: Limits
  /** What comes, where it was recorded: to be played beside what comes by chance. */
  readonly trace?: Trace
}

/** Requests of one look, over its seeds; of a fleet with few in flight, which near its limit forgets slowly, more. */
const REQUESTS = 7000
const OF_FEW = 14_000
const FEW = 100
const SEEDS = 2
/** So many times those in flight come before the first is judged, and are judged at least. */
export const WARM = 3
const JUDGED = 4
/** In flight of a slice: then the requests of a look are enough for both, and for those that hold the load till the end. */
export const SLICE: number = REQUESTS / SEEDS / (WARM + JUDGED + 1)
/** An engine that holds more is looked at for so many requests at the most. */
const MOST_REQUESTS = 16_000
export const LEAST_JUDGED = 500

/**
 * Looks at a fleet. Of a large one a slice is simulated, with its share of what comes:
 *
 *     whole   ░░░░░░░░░░░░░░░░▓▓    λ, in flight L ± √L
 *     slice   ▓▓                    f·λ, in flight f·L ± f·√L
 *
 * By chance alone f·L would be ± √(f·L), but who comes goes where fewest are in flight, so that a slice has its share of the whole
 * fleet's luck. Gaps of a squared variation of f bring that; of less than `EVENEST` they would beat time.
 */
export function look({ unit, lengths, limits }: Subject, coming: ComingRequests, units: number): Look {
  const { fleet, part, engines, ofEngines } = partOf(unit, units, SLICE / coming.inFlight)
  const inFlight = part * coming.inFlight
  const { total, seeds } = requestsOf(inFlight)
  const warm = Math.ceil(WARM * inFlight) + 20
  const judged = Math.max(LEAST_JUDGED, Math.floor(total - warm - inFlight))
  const size = { warm, judged, most: MOST_TIMES * inFlight + MOST_EACH * engines }
  const runs = Array.from({ length: seeds }, (_, i) =>
    judgedRun(fleet, sourceOf(coming, part, lengths, `check/${i}`), limits, size),
  )
  return {
    units,
    ...figuresOf(runs, part),
    // How often users ask depends on how long they wait.
    ...(coming.users === undefined && { arrivalsPerSecond: coming.arrivalsPerSecond }),
    ...(part < 1 && { slice: { engines, of: Math.round(ofEngines) } }),
  }
}

/** Of each seed of a look, where so many are in flight. */
export function requestsOf(
  inFlight: number,
  seeds: number = inFlight > SLICE ? 1 : SEEDS,
): { readonly total: number; readonly seeds: number } {
  const least = (inFlight < FEW ? OF_FEW : REQUESTS) / seeds
  return { total: Math.min(MOST_REQUESTS, Math.max(least, (WARM + JUDGED + 1) * inFlight)), seeds }
}

/** More in flight than so many times the arithmetic's, and so many in each engine, are a queue that grows. */
const MOST_TIMES = 4
const MOST_EACH = 50

/** Of such a part of a fleet. */
export function figuresOf(runs: readonly JudgedRun[], part: number): Omit<Look, 'units' | 'slice'> {
  const mean = (of: (run: JudgedRun) => number): number => runs.reduce((sum, run) => sum + of(run), 0) / runs.length
  const p10 = percentileOf(
    runs.map(({ paces }) => paces),
    10,
  )
  const waits = runs.map(({ waitsS }) => waitsS)
  const [p50, p99] = [percentileOf(waits, 50) ?? 0, percentileOf(waits, 99) ?? 0]
  return {
    ...shareOf(
      runs,
      mean((run) => run.inFlight),
    ),
    ...(p10 !== undefined && { p10TokensPerSecond: p10 }),
    ttftMs: { p50: 1000 * p50, p99: 1000 * p99 },
    inFlight: mean((run) => run.inFlight) / part,
    arrivalsPerSecond: mean((run) => run.arrivalsPerSecond) / part,
    residual: mean((run) => run.residual),
    overloaded: runs.some(({ overloaded }) => overloaded),
    missed: { late: mean(({ late, good }) => late / good.length), slow: mean(({ slow, good }) => slow / good.length) },
    sent: runs.reduce((sum, { sent }) => sum + sent, 0),
  }
}

const EVENEST = 1 / 16

function sourceOf(
  { arrivalsPerSecond, users, thinkS = 0, stayS, inFlight }: ComingRequests,
  part: number,
  lengths: RequestLengths,
  seed: string,
): Source {
  const unevenness = Math.max(EVENEST, part)
  if (users === undefined) {
    return createCrowd({ lengths, unevenness, seed, rateAt: () => part * arrivalsPerSecond })
  }
  const many = part * users
  if (thinkS === 0) {
    const arrivals = { kind: 'users', users: Math.max(1, Math.round(many)), spreadS: stayS } as const
    return createSource({ arrivals, work: lengths, seed })
  }
  // At first nobody is in flight, and those who should be come back to their pauses one after the other.
  const away = (atS: number): number => part * inFlight * Math.max(0, 1 - atS / stayS)
  return createCrowd({
    lengths,
    unevenness,
    seed,
    rateAt: (waiting, atS) => Math.max(0, many - waiting - away(atS)) / thinkS,
  })
}
