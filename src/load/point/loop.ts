import type { RequestRecord, Window } from '../../core/index.ts'
import type { Phase } from './point-window.ts'

/** One request that is due. */
export interface Turn {
  /** Whose it is: in an open loop the number of the arrival, from 0. */
  readonly user: number
  /** When the schedule of an open loop wanted it sent. */
  readonly scheduledS?: number
  /** When it was handed on to be sent, likewise. */
  readonly takenS?: number
  /** It is not sent: it is too late, or no connection came free. */
  readonly isDropped?: boolean
}

/** Why the schedule of an open loop was not kept, for a person. */
export interface ScheduleFault {
  /** The client was late by itself, not for want of the connections it was allowed. */
  readonly saturated: boolean
  readonly why: string
}

/**
 * The policy of one point: when the next request is due, and which time is measured. It owns no clock and no socket: it is told what
 * happened when. Times are seconds of the run's clock.
 *
 * ```
 *   load comes up   warm-up, detected           window                     hold             rest cancelled
 *   |––––––––––––––––|–––––––––––––––|[======================)|–until all begun inside ended–|
 *                                    ↑ a send                ↑ a send
 * ```
 */
export interface Loop {
  /** When the next request is due; undefined: not before one has ended, or never. */
  dueS(): number | undefined
  /** Takes the request that is due, to be sent under this id. Undefined: the point has come to its end instead. */
  take(id: string, nowS: number): Turn | undefined
  ended(turn: Turn, record: RequestRecord, nowS: number): void
  /** Ends the point early: the window closes at the last send, and nothing more is sent. */
  stop(reason: string, nowS: number): void
  phase(): Phase
  /** Nothing measured is in flight any more: what still is, is cancelled. */
  over(): boolean
  /** Where the window starts, as it stands: while it is not open yet this moves, to the present; of one that was begun anew and stopped, back. */
  fromS(): number | undefined
  toS(): number | undefined
  /** Asked or found length of the window, where it has one. */
  durationS(): number | undefined
  /** All requests of the point, where their number is given. */
  readonly requests: number | undefined
  meanTimeInSystemS(): number | undefined
  /** What the records are measured over; to be read when the point is over. */
  window(): Window
  scheduleFault(): ScheduleFault | undefined
}
