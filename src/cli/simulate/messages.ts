import type { RequestRecord, TwospeedError } from '../../core/index.ts'
import type { Done } from './job.ts'
import type { SimulationPlan } from './plan.ts'

/** What a thread is given once. */
export interface Setup {
  readonly plan: SimulationPlan
  readonly withRecords: boolean
  /** Of one number: batches of records that were sent and not read. */
  readonly ahead: SharedArrayBuffer
}

/** A thread with so many batches unread waits. */
export const MOST_AHEAD = 8

/** To each job any number of batches of records, then `done` or `failed`. */
export type Reply =
  | { readonly kind: 'records'; readonly records: readonly RequestRecord[] }
  | { readonly kind: 'done'; readonly done: Done }
  | { readonly kind: 'failed'; readonly error: Pick<TwospeedError, 'code' | 'message' | 'hint'> }
