import type { Observer } from '../answer/observer.ts'
import type { Source } from '../arrivals/source.ts'
import type { Fleet } from './fleet.ts'

/** A stream of requests of one kind, and where they may go. */
export interface Lane {
  readonly name: string
  readonly source: Source
  /** Lower goes first, where a pool's policy admits by priority. */
  readonly priority: number
  /** Names of the pools that serve it; absent: all. */
  readonly pools?: readonly string[]
}

/**
 * Runs a fleet until its observer has seen enough, or nothing more can happen. Returns the last instant, in seconds.
 *
 * One total order of events, so that the same requests and the same policies give the same bytes: by time; at one time looks, then
 * arrivals (lane, then order in the lane), then transfers that end, then engines by their index. What an event brings about at its own time
 * is placed by the same order after it.
 */
export function runFleet(_fleet: Fleet, _lanes: readonly Lane[], _observer: Observer): number {
  throw new Error('to be written')
}
