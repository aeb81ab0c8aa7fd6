import type { Hardware, Load, Objectives, Point, RequestRecord } from '../../core/index.ts'
import { type Configuration, createStepModel, type Law, type StepModel } from '../../model/index.ts'
import {
  type ArrivalsPlan,
  answerTimeS,
  createIds,
  createSource,
  DEFAULT_REQUESTS,
  type Fleet,
  lawStepTime,
  modelStepTime,
  type Pool,
  type SimulatedLaneOptions,
  type Source,
  type SourcePlan,
  simulate,
  type ThinkPlan,
  type WorkPlan,
} from '../../sim/index.ts'
import { rateBetween } from './loads.ts'

/** A simulation before its load is known: plain data, so that a thread can be given it. */
export interface SimulationPlan {
  readonly pools: readonly PoolPlan[]
  readonly fleet: Omit<Fleet, 'pools' | 'entrySeconds'>
  readonly lanes: readonly LanePlan[]
  readonly hardware: Hardware
  readonly objectives?: Objectives
  readonly requests?: number
  readonly durationS?: number
  readonly streamInterval?: number
}

/** Steps of an engine are timed by a law, or by the datasheets of a configuration. */
export interface PoolPlan extends Omit<Pool, 'stepTime'> {
  readonly step: { readonly law: Law } | { readonly configuration: Configuration }
}

export interface LanePlan {
  readonly name: string
  readonly priority: number
  readonly pools?: readonly string[]
  readonly objectives?: Objectives
  readonly work: WorkPlan
  readonly think?: ThinkPlan
  /** Absent of one lane at most: it takes the load of the task. */
  readonly arrivals?: Arrivals
}

export type Arrivals = ArrivalsPlan | Extract<SourcePlan['arrivals'], { readonly kind: 'trace' }>

/** One load of a plan. */
export interface Task {
  readonly load: Load
  /** Of the lane that has none of its own; absent where each has. */
  readonly arrivals?: Arrivals
  /** As `measure` has it of a point, `7/0`, so that both draw the same requests. */
  readonly seed: string
  /** Its index among the points. */
  readonly point: number
}

/** A window is long enough that its load turns over so many times: 20 stays of a request, 10 requests of a user. */
const STAYS = 20
const REQUESTS_OF_USER = 10
const MOST_REQUESTS = 1e6

/**
 * Carries out one task of a plan. Where nothing says how many requests, `least`, or as many more as make the window long enough for what is in
 * flight: of a rate that is known when it has been simulated once.
 *
 * Throws what `simulate` throws.
 */
export function carryOut(
  plan: SimulationPlan,
  task: Task,
  onRecord?: (record: RequestRecord) => void,
  least: number = DEFAULT_REQUESTS,
): Point {
  const { kind, value } = task.load
  if (plan.requests !== undefined || plan.durationS !== undefined || kind === 'trace') return once(plan, task, onRecord)
  if (kind === 'concurrency') {
    return once({ ...plan, requests: Math.max(least, REQUESTS_OF_USER * value) }, task, onRecord)
  }
  const base = { ...plan, requests: least }
  const first = once(base, task)
  const isOverloaded = first.window.reasons.includes('overloaded')
  const needed = Math.min(MOST_REQUESTS, Math.ceil(STAYS * first.littlesLaw.inFlight))
  if (needed > least && !isOverloaded) return once({ ...plan, requests: needed }, task, onRecord)
  return onRecord === undefined ? first : once(base, task, onRecord)
}

function once(plan: SimulationPlan, task: Task, onRecord?: (record: RequestRecord) => void): Point {
  const { requests, durationS, streamInterval, hardware, objectives } = plan
  const fleet = fleetOf(plan)
  const point = simulate({
    fleet,
    lanes: lanesOf(plan, task, fleet),
    load: task.load,
    hardware,
    point: task.point,
    ...(requests !== undefined && { requests }),
    ...(durationS !== undefined && { durationS }),
    ...(objectives !== undefined && { objectives }),
    ...(streamInterval !== undefined && { streamInterval }),
    ...(onRecord !== undefined && { onRecord }),
  })
  return playedOf(point, plan, task)
}

/** Of a curve the load is the mean rate of the part of it that was played. */
function playedOf(point: Point, { lanes }: SimulationPlan, task: Task): Point {
  const [lane, ...others] = lanes
  const arrivals = lane?.arrivals ?? task.arrivals
  if (arrivals?.kind !== 'curve' || others.length > 0) return point
  const { startS, endS } = point.window
  return { ...point, load: { ...point.load, value: rateBetween(arrivals.points, startS, endS) } }
}

function fleetOf({ pools, fleet }: SimulationPlan): Fleet {
  let entry: StepModel | undefined
  const stepTimeOf = (step: PoolPlan['step']): Pool['stepTime'] => {
    if ('law' in step) return lawStepTime(step.law)
    const model = createStepModel(step.configuration)
    entry ??= model
    return modelStepTime(model)
  }
  const timed = pools.map(({ step, ...pool }): Pool => ({ ...pool, stepTime: stepTimeOf(step) }))
  const { arrivalSeconds } = entry ?? {}
  return { ...fleet, pools: timed, ...(arrivalSeconds !== undefined && { entrySeconds: arrivalSeconds }) }
}

function lanesOf({ lanes }: SimulationPlan, task: Task, fleet: Fleet): readonly SimulatedLaneOptions[] {
  // One of all lanes, so that beginnings of prompts in different lanes are not the same.
  const nextId = createIds()
  return lanes.map((lane, i) => {
    const { name, priority, pools, objectives } = lane
    const asked = lane.arrivals ?? task.arrivals
    if (asked === undefined) throw new Error(`lane ${name} has no load`)
    const arrivals = spreadOut(asked, lane, fleet)
    const seed = i === 0 ? task.seed : `${task.seed}/${name}`
    return {
      name,
      priority,
      source: sourceOf(lane, arrivals, seed, nextId),
      ...(arrivals.kind === 'users' && { users: arrivals.users }),
      ...(pools !== undefined && { pools }),
      ...(objectives !== undefined && { objectives }),
    }
  })
}

/** Users begin evenly over one turn of theirs, so that what a load does is its own, whichever loads stand beside it. */
function spreadOut(arrivals: Arrivals, { pools, work, think }: LanePlan, fleet: Fleet): Arrivals {
  if (arrivals.kind !== 'users' || arrivals.spreadS !== undefined) return arrivals
  const { users } = arrivals
  const answerS =
    users === 1 ? 0 : answerTimeS({ fleet, work, users, ...(pools && { pools }), ...(think && { think }) })
  return { ...arrivals, spreadS: answerS + (think?.meanS ?? 0) }
}

function sourceOf({ work, think }: LanePlan, arrivals: Arrivals, seed: string, nextId: () => number): Source {
  if (arrivals.kind === 'trace') return createSource({ arrivals }, nextId)
  return createSource({ arrivals, work, seed, ...(think !== undefined && { think }) }, nextId)
}
