import type { Choice, ChoiceTable } from './choice.ts'
import type { ErrorCode } from './errors.ts'
import type { FleetPlan, Plan } from './plan.ts'

/** The same question once more, with one input changed or several together. */
export interface WhatIf {
  /** As it was asked: `arrivals=24/s; floor=40`. */
  readonly change: string
  /** Absent where there is none. */
  readonly answer?: Choice | ChoiceTable | Plan | FleetPlan
  /** What of the answer is another. */
  readonly differences?: readonly Difference[]
  /** In place of an answer. */
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly hint: string }
}

/** One figure or word of an answer, before and after. Absent: it is not there. */
export interface Difference {
  /** Where in the answer: `gpusAtPeak`, `choice.concurrency`. */
  readonly key: string
  readonly from?: number | string | boolean
  readonly to?: number | string | boolean
}
