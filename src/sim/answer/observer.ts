import type { Arrival } from '../arrivals/source.ts'
import type { EngineListener } from '../engine/engine.ts'
import type { Finished, Unfinished } from '../engine/sequence.ts'
import type { Levels } from './levels.ts'

/** A request on its way through the fleet. */
export interface Journey {
  /** Rises in order of arrival over the whole run. */
  readonly id: number
  readonly lane: number
  readonly arrival: Arrival
  /** As the observer gave it. */
  readonly group: number
  /** Index into the fleet's pools of the one that answers it, and the replica within; known when it has ended. */
  readonly pool: number
}

/** Where the fleet stands at an instant. */
export interface FleetState {
  running(pool: number): number
  waiting(pool: number): number
  /** Held share of the KV blocks of a pool; undefined without a limit. */
  kvShare(pool: number, nowS: number): number | undefined
  readonly inTransfer: number
}

/** What makes figures of a run. The fleet tells it everything in the order in which it happens, and asks when to stop. */
export interface Observer extends Omit<EngineListener, 'finished'> {
  /** A request comes: says under which group its gaps are to be counted, from 0 to `groups` − 1. */
  arrived(lane: number, nowS: number, state: FleetState): number
  readonly groups: number
  ended(journey: Journey, done: Finished): void
  /** No engine could ever hold it. */
  refused(journey: Journey, nowS: number, why: string): void
  /**
   * The run has stopped, and it has not ended: what it has of its answer, where an engine has begun to write that. Absent: nobody wants to
   * know, and engines do not tell the steps that ended in rows not yet told.
   */
  unanswered?(journey: Journey, nowS: number, left?: Unfinished): void
  /** The next instant at which it wants to see the state; Infinity: none. Read before every event. */
  readonly nextLookS: number
  look(nowS: number, state: FleetState): void
  /** Where means over time are wanted. */
  readonly levels?: Levels
  /** Nothing after this instant can change its answer. */
  isDone(nowS: number): boolean
}
