import {
  createPointMetrics,
  type Load,
  type Objectives,
  type Point,
  type RequestRecord,
} from '../../../src/core/index.ts'
import { createPointObserver, type PointObserverOptions } from '../../../src/sim/answer/point-observer.ts'
import type { Fleet } from '../../../src/sim/fleet/fleet.ts'
import { type Lane, runFleet } from '../../../src/sim/fleet/run-fleet.ts'
import { createReferenceEngine } from '../reference/engine.ts'

export interface Asked {
  readonly fleet: Fleet
  readonly lanes: readonly (Lane & { readonly users?: number; readonly objectives?: Objectives })[]
  readonly load: Load
  readonly requests?: number
  readonly durationS?: number
  readonly objectives?: Objectives
  readonly streamInterval?: number
}

/** What a point says of a fleet whose engines take every step by itself, and the records that it told. */
export function simulated({ fleet, lanes, ...asked }: Asked): {
  readonly point: Point
  readonly records: readonly RequestRecord[]
} {
  const records: RequestRecord[] = []
  const options: PointObserverOptions = {
    requests: 200,
    streamInterval: 1,
    hardware: {},
    ...asked,
    fleet,
    lanes,
    point: 0,
    onRecord: (record) => records.push(record),
  }
  const observer = createPointObserver(options)
  runFleet(fleet, lanes, observer, createReferenceEngine)
  const point = observer.result()
  if (point === undefined) throw new Error('the window never opened')
  return { point, records }
}

/** The figures that a report makes of the records and the window. */
export function reported(point: Point, records: readonly RequestRecord[], objectives?: Objectives): Point {
  const metrics = createPointMetrics(
    { load: point.load, window: point.window, ...(point.simulation && { simulation: point.simulation }) },
    {},
    objectives,
  )
  for (const record of records) metrics.add(record)
  const { simulation: _, ...figures } = metrics.result()
  return figures
}
