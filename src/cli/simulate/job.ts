import type { Point, RequestRecord } from '../../core/index.ts'
import { type Bracket, type FindRange, greatestLoad } from './find.ts'
import { type Asked, type Judged, judgePoint } from './judge.ts'
import { type LoadFlags, rateLoad, usersLoad } from './loads.ts'
import { carryOut, type SimulationPlan, type Task } from './plan.ts'

/** What one thread does at a time: a point, or the whole search of one seed. Plain data. */
export type Job = { readonly kind: 'point'; readonly task: Task } | ({ readonly kind: 'find' } & FindJob)

export interface FindJob {
  readonly by: 'rate' | 'concurrency'
  readonly range: FindRange
  readonly asked: Asked
  /** How requests come, beside how many. */
  readonly flags: LoadFlags
  /** The same at every load: then what differs between two loads is the load. */
  readonly seed: string
}

export interface Done {
  readonly points: readonly Point[]
  /** Of a search. */
  readonly found?: { readonly bracket: Bracket; readonly tried: readonly Tried[] }
}

export interface Tried extends Judged {
  readonly load: number
  /**
   * Of a rate, how many a second came, in the lane that it is of: chance makes the arrivals of a seed too many or too few, alike at every
   * load. Absent where none came inside the window.
   */
  readonly came?: number
}

/** Records come in order of ends, of one point after the other. */
export function doJob(plan: SimulationPlan, job: Job, onRecord?: (record: RequestRecord) => void): Done {
  if (job.kind === 'point') return { points: [carryOut(plan, job.task, onRecord)] }
  const { by, range, asked, flags, seed } = job
  const points: Point[] = []
  const tried: Tried[] = []
  const bracket = greatestLoad((value) => {
    const load = by === 'rate' ? rateLoad(value, flags) : usersLoad(value, flags)
    const task = { ...load, seed, point: points.length }
    const [point, judged] = look(plan, task, asked, onRecord)
    points.push(point)
    const came = by === 'rate' ? rateOf(point, plan) : undefined
    tried.push({ load: value, ...judged, ...(came !== undefined && { came }) })
    return judged.verdict
  }, range)
  return { points, found: { bracket, tried } }
}

/** Of each load of a search, where nothing is said: the answer is to be known better than a load of a sweep is. */
const FIND_REQUESTS = 10_000
/** Near its limit a server fills for long before it has what it can hold. */
const LONG_REQUESTS = 50_000

/** A point and its verdict; a rate that is almost kept up with is looked at for longer before it is given up. */
function look(
  plan: SimulationPlan,
  task: Task,
  asked: Asked,
  onRecord?: (record: RequestRecord) => void,
): readonly [Point, Judged] {
  const judged = (point: Point): readonly [Point, Judged] => {
    const { isNear: _, ...verdict } = judgePoint(point, plan, asked)
    return [point, verdict]
  }
  if (plan.requests !== undefined || plan.durationS !== undefined) return judged(carryOut(plan, task, onRecord))
  const first = carryOut(plan, task, undefined, FIND_REQUESTS)
  const isNear = judgePoint(first, plan, asked).isNear === true
  if (isNear) return judged(carryOut({ ...plan, requests: LONG_REQUESTS }, task, onRecord))
  return judged(onRecord === undefined ? first : carryOut(plan, task, onRecord, FIND_REQUESTS))
}

/** Of the lane that has no load of its own; what the others bring is not looked for. */
function rateOf({ requests, window, simulation }: Point, { lanes }: SimulationPlan): number | undefined {
  const open = lanes.find(({ arrivals }) => arrivals === undefined)
  // One lane is all there is.
  const counts = lanes.length === 1 ? requests : simulation?.lanes?.find(({ name }) => name === open?.name)?.requests
  return counts === undefined || counts.sent === 0 ? undefined : counts.sent / (window.endS - window.startS)
}
