import type { Binding } from '../../core/index.ts'
import { fitLaw } from '../fit/fit.ts'
import type { ServerLimit } from '../fit/limit.ts'
import type { LoadPoint } from '../points.ts'
import { loadAtFloor, loadThatFills, NOISE } from './estimate.ts'
import type { Objective, Trial } from './trial.ts'
import { loadAtLimit } from './wait.ts'

/** Points that a search may take. */
const MOST_POINTS = 6
/** The answer is known when a load so little above it misses; below 34 users that is the next whole one. */
const PRECISION = 0.03
/** Where one more user changes the pace by next to nothing, a measurement tells no two loads apart; but half as many again it should. */
const WORST_PRECISION = 0.5
/** Not more at once after one user alone, whose point cannot tell the two terms of the law apart; and so many times as many after that. */
const FIRST_LEAP = 64
const LEAP = 32
/** Waits are flat until they are not: what a law of paces foretells says nothing of them. */
const LEAP_OF_WAITS = 4
/** Where no law says how far the floor is. */
const BLIND_LEAP = 8
/** How near to its own limit the client has to be met before the search leaves it at that. */
const CLIENT_PRECISION = 0.25

export interface FindTask {
  /** Ascending by load. */
  readonly trials: readonly Trial[]
  /** The same loads as evidence for the law, at the share asked for; ascending. */
  readonly points: readonly LoadPoint[]
  /** How many points were measured. */
  readonly measured: number
  readonly objective: Objective
  /** No higher load is tried. */
  readonly highest: number
}

/** How a search ended. Without `held`, no load is known to hold the objective. */
export interface Found {
  readonly held?: Trial
  /** The least load above it that does not hold, or that could not be judged. */
  readonly stop?: Trial
  readonly binding?: Binding
  readonly limit?: ServerLimit
  /** The answer is known within this, relative to itself or one user; absent where it is not. */
  readonly within?: number
}

/** What is known so far, and what to measure next; without that the search is over. */
export interface FindStep extends Found {
  readonly next?: number
}

/**
 * The highest load that holds an objective, as a policy: what was measured → the next load, or the answer.
 *
 *     1 user → a leap → where the law puts the floor → the least load above it that matters → end
 *
 * Pace falls and waits grow with load, so a load that holds and one that does not enclose the answer. Inside the bracket the fitted law
 * says where to look. Each probe is put so that it ends the search if it comes out as foretold.
 */
export function findStep(task: FindTask): FindStep {
  const { trials, measured } = task
  if (trials.length === 0) return { next: 1 }
  const bracket = bracketOf(trials)
  const limit = fitLaw(task.points).limit
  const precision = precisionOf(task, bracket)
  // First with steps that a measurement can tell apart, then with what points are left.
  const next =
    measured < MOST_POINTS
      ? (nextLoad(task, bracket, limit, precision) ?? nextLoad(task, bracket, limit, PRECISION))
      : undefined
  return { ...foundBy(task, bracket, limit, precision), ...(next !== undefined && { next }) }
}

interface Bracket {
  readonly held?: Trial
  readonly stop?: Trial
  /** A load that missed although a higher one held: measured once more before it is believed. */
  readonly doubtful?: Trial
}

function bracketOf(trials: readonly Trial[]): Bracket {
  const misses = trials.filter(({ verdict }) => verdict === 'misses')
  const holds = trials.filter(({ verdict }) => verdict === 'holds')
  const greatest = holds.at(-1)?.load ?? 0
  const doubtful = misses.find(({ load, times }) => load > 1 && load < greatest && times === 1)
  const [least] = misses
  const held = holds.findLast(({ load }) => least === undefined || load < least.load)
  const stop = trials.find(({ load, verdict }) => verdict !== 'holds' && load > (held?.load ?? 0))
  return { ...(held && { held }), ...(stop && { stop }), ...(doubtful && { doubtful }) }
}

/** The step upward that a measurement can tell: 3 %, or more where the pace hardly falls with load. */
function precisionOf({ points, objective }: FindTask, { held, stop }: Bracket): number {
  if (objective.floor === undefined || (stop !== undefined && stop.missed !== 'floor')) return PRECISION
  const steepness = loadAtFloor(points, objective.floor)?.steepness ?? 1
  const noise = Math.max(NOISE, scatterOf(held), scatterOf(stop))
  return Math.min(WORST_PRECISION, Math.max(PRECISION, noise / steepness))
}

/** Half of its interval's half-width is the standard deviation of a pace. */
function scatterOf(trial: Trial | undefined): number {
  const { interval, pace } = trial ?? {}
  return interval === undefined || pace === undefined ? 0 : (interval.high - interval.low) / 4 / pace
}

/** A load that the law puts at 60 may come out a rounding error below it. */
const whole = (load: number): number => Math.floor(load * (1 + 1e-9))

const stepAbove = (load: number, precision: number): number => Math.max(1, Math.floor(precision * load))

/** Undefined: the search is over. */
function nextLoad(
  task: FindTask,
  { held, stop, doubtful }: Bracket,
  limit: ServerLimit | undefined,
  precision: number,
): number | undefined {
  // A client that one user brings to its limit was disturbed.
  if (held === undefined) return stop?.fault === 'generatorSaturated' && stop.times === 1 ? stop.load : undefined
  if (doubtful !== undefined) return doubtful.load
  const aim = aimOf(task, limit)
  const above = held.load + stepAbove(held.load, precision)
  if (stop !== undefined) return inside(task, held, stop, aim, precision)
  const fills = loadThatFills(task.points)
  if (fills !== undefined && fills !== held.load) return fills
  if (endsAtLimit(task, limit)) {
    const isKnown = task.trials.some((trial) => trial.verdict === 'holds' && isLimit(trial, limit))
    return isKnown ? undefined : limit.load
  }
  if (held.load >= task.highest) return undefined
  const factor = task.objective.ttftMs === undefined ? LEAP : LEAP_OF_WAITS
  const leap = held.load === 1 ? FIRST_LEAP : factor * held.load
  const far = Number.isFinite(aim) ? whole(aim) : BLIND_LEAP * held.load
  return Math.min(Math.max(far, above), leap, task.highest)
}

/** Where the law puts the end: by pace, or by the wait if that comes first. */
function aimOf({ trials, points, objective: { floor, ttftMs } }: FindTask, limit: ServerLimit | undefined): number {
  const byPace = floor === undefined ? undefined : loadAtFloor(points, floor)?.load
  const byWait = ttftMs === undefined ? undefined : loadAtLimit(trials, ttftMs, limit !== undefined)
  return Math.min(byPace ?? Number.POSITIVE_INFINITY, byWait ?? Number.POSITIVE_INFINITY)
}

function inside(task: FindTask, held: Trial, stop: Trial, aim: number, precision: number): number | undefined {
  const above = held.load + stepAbove(held.load, precision)
  if (stop.load <= above) return undefined
  if (stop.verdict === 'void' && stop.load <= (1 + CLIENT_PRECISION) * held.load) return undefined
  const fills = stop.missed === 'ttft' ? loadThatFills(task.points) : undefined
  if (fills !== undefined && fills > held.load && fills < stop.load) return fills
  // Nothing foretells where failures begin or the client tires.
  const blind = stop.missed !== 'floor' && stop.missed !== 'ttft'
  const at = blind && aim >= stop.load ? Math.sqrt(held.load * stop.load) : aim
  const target = whole(Math.min(Math.max(at, held.load), stop.load))
  // Just above the load that holds: the least step that ends the search by a miss. Just below the other: the one that ends it by a hold.
  if (target <= above) return Math.min(above, stop.load - 1)
  return Math.max(held.load + 1, Math.min(target, leastThatCloses(stop.load, precision)))
}

/** The least load from which the one that misses is no more than a step away. */
function leastThatCloses(missing: number, precision: number): number {
  let load = Math.floor(missing / (1 + precision))
  while (load + stepAbove(load, precision) < missing) load++
  return Math.min(load, missing - 1)
}

/** Without a limit on the wait, a full server holds its pace at any load: the answer is where it is full. */
function endsAtLimit({ objective }: FindTask, limit: ServerLimit | undefined): limit is ServerLimit {
  return limit !== undefined && objective.ttftMs === undefined
}

const isLimit = ({ load }: Trial, limit: ServerLimit): boolean =>
  Math.abs(load - limit.load) <= Math.max(1, PRECISION * limit.load)

function foundBy(task: FindTask, { held, stop }: Bracket, limit: ServerLimit | undefined, precision: number): Found {
  if (held === undefined) return { ...(stop && { stop }) }
  if (stop === undefined && endsAtLimit(task, limit)) {
    const full = task.trials.findLast(
      (trial) => trial.verdict === 'holds' && trial.load <= (1 + PRECISION) * limit.load + 1,
    )
    return {
      held: full ?? held,
      binding: 'serverLimit',
      limit,
      ...(full && isLimit(full, limit) && { within: PRECISION }),
    }
  }
  if (stop === undefined) return { held, binding: 'measuredRange' }
  const closed = stop.load - held.load <= stepAbove(held.load, precision)
  const binding = stop.verdict === 'void' ? 'clientLimit' : (stop.missed ?? 'floor')
  return { held, stop, binding, ...(closed && stop.verdict === 'misses' && { within: precision }) }
}
