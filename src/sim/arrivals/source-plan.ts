import type { ArrivalProcess, Trace } from '../../core/index.ts'
import type { CurvePoint } from './daily-curve.ts'
import type { ThinkPlan } from './think.ts'
import type { WorkPlan } from './work.ts'

/** When requests come. Rates are of requests, also where conversations of several make them. */
export type ArrivalsPlan =
  /** A closed loop of so many users. Their first requests are spread over `spreadS`; by default 10 ms lie between two, at most 1 s in all. */
  | { readonly kind: 'users'; readonly users: number; readonly spreadS?: number }
  | { readonly kind: 'rate'; readonly rate: number; readonly process: ArrivalProcess; readonly rampS?: number }
  /** The first point is at 0; the rate is straight between two; after the last one the day begins anew. */
  | { readonly kind: 'curve'; readonly points: readonly CurvePoint[]; readonly process: ArrivalProcess }

/** The requests of a lane. Plain data. */
export type SourcePlan =
  | { readonly arrivals: { readonly kind: 'trace'; readonly trace: Trace } }
  | {
      readonly arrivals: ArrivalsPlan
      readonly work: WorkPlan
      /** Between the requests of a user of a closed loop; in an open one between the turns of a conversation. */
      readonly think?: ThinkPlan
      /** `measure` draws the same lengths and the same arrivals of it, if it is of the run and the point: `7/0`. */
      readonly seed: number | string
    }
