import {
  type Hardware,
  hardwareOf,
  type Load,
  type Objectives,
  type Point,
  type RequestRecord,
  TwospeedError,
} from '../core/index.ts'
import { createPointObserver } from './answer/point-observer.ts'
import type { Fleet } from './fleet/fleet.ts'
import { type Lane, neverFits, runFleet } from './fleet/run-fleet.ts'
import { checkSimulation } from './shape.ts'

export interface SimulatedLaneOptions extends Lane {
  /** Of a closed loop: how many ask. The window opens when each of them has had an answer. */
  readonly users?: number
  readonly objectives?: Objectives
}

export interface SimulateOptions {
  readonly fleet: Fleet
  readonly lanes: readonly SimulatedLaneOptions[]
  /** What the lanes bring together, in words of a run. `trace`: everything counts, from 0 to the last end. */
  readonly load: Load
  /** Requests that are sent until the window closes, those before it opens included; 2 000. The load is held on after them. */
  readonly requests?: number
  /** Length of the window, instead. */
  readonly durationS?: number
  /** Of all lanes together; of one lane its own will do. */
  readonly objectives?: Objectives
  /** What the figures per GPU are of; by default the GPUs of all pools, where they are told. */
  readonly hardware?: Hardware
  /** The server sends the first token at once, and then so many at a time; 1. */
  readonly streamInterval?: number
  /** Told of every request that was sent before the window's end, in order of ends, with all its gaps. */
  readonly onRecord?: (record: RequestRecord) => void
  /** The point's index, which the records bear; 0. */
  readonly point?: number
}

export const DEFAULT_REQUESTS = 2000

/**
 * Runs a fleet under one load and says what a measurement of it would: the same figures by the same metrics, and beside them, under
 * `simulation`, what only a simulator sees. Sources are used up.
 *
 * Throws INVALID_VALUE with all that is missing, IMPOSSIBLE_CONFIGURATION for a fleet that cannot be, NEVER_FITS where all requests of a lane are longer than any KV cache, INVALID_WORK where the load ends before it has been round once.
 */
export function simulate(options: SimulateOptions): Point {
  checkSimulation(options)
  const { requests = DEFAULT_REQUESTS, streamInterval = 1, point = 0 } = options
  const isAsked = options.requests !== undefined
  const hardware = options.hardware ?? hardwareOf(options.fleet.pools)
  const observer = createPointObserver({ ...options, requests, isAsked, streamInterval, point, hardware })
  runFleet(options.fleet, options.lanes, observer)
  const result = observer.result()
  const unheld = observer.unheld()
  if (unheld !== undefined) throw neverFits(options.lanes, unheld.lane, unheld.why)
  if (result !== undefined) return result
  throw new TwospeedError(
    'INVALID_WORK',
    'The load ended before it had come up: not every user had an answer, or nothing was asked',
    'Ask for more requests (--requests), or play them as a trace, which is measured from its first request on.',
  )
}
