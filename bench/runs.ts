/** A run folder as the benches need it: its only point, all its records, and the clock to join them by. */
import type { Point, RequestRecord, Run } from '../src/core/index.ts'
import { readRecords } from '../src/store/index.ts'

export interface MeasuredPoint {
  readonly point: Point
  readonly records: readonly RequestRecord[]
  /** The monotonic clock, in nanoseconds, when the records' read 0. */
  readonly originNs: number
}

/** `json`: what `measure --json` printed for this folder. */
export async function readPoint(folder: string, json: string): Promise<MeasuredPoint> {
  const run = JSON.parse(json) as Run
  const [point] = run.points
  if (point === undefined || run.clock === undefined) throw new Error(`${folder} holds no point or no clock`)
  const records: RequestRecord[] = []
  for await (const record of readRecords(folder)) records.push(record)
  return { point, records, originNs: Number(run.clock.originNs) }
}
