import { createCells } from './cells.ts'
import { type Span, toMicros } from './instants.ts'
import type { RequestRecord } from './record.ts'
import { trendsOf } from './steadiness.ts'
import { streamOf } from './stream.ts'

/** Whether output or pace changes through a span of time, asked while it goes on: what the reason `trend` says of it afterwards. */
export interface DriftWatch {
  /** A request that has ended. */
  add(record: RequestRecord): void
  drifts(): boolean
}

/** Seconds. It is asked when all that has a token in between has ended. */
export function createDriftWatch(startS: number, endS: number): DriftWatch {
  const span: Span = { startUs: toMicros(startS), endUs: toMicros(endS) }
  const cells = createCells(span)
  return {
    add: (record) => cells.add(record, streamOf(record)),
    drifts: () => trendsOf(cells, { startS, endS }).length > 0,
  }
}
