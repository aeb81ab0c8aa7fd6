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
}

/** Records come in order of ends, of one point after the other. */
export function doJob(plan: SimulationPlan, job: Job, onRecord?: (record: RequestRecord) => void): Done {
  if (job.kind === 'point') return { points: [carryOut(plan, job.task, onRecord)] }
  const { by, range, asked, flags, seed } = job
  const points: Point[] = []
  const tried: Tried[] = []
  const bracket = greatestLoad((value) => {
    const load = by === 'rate' ? rateLoad(value, flags) : usersLoad(value, flags)
    const point = carryOut(plan, { ...load, seed, point: points.length }, onRecord)
    const judged = judgePoint(point, plan, asked)
    points.push(point)
    tried.push({ load: value, ...judged })
    return judged.verdict
  }, range)
  return { points, found: { bracket, tried } }
}
