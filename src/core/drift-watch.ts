import { createCells } from './cells.ts'
import { type Span, toMicros } from './instants.ts'
import type { RequestRecord } from './record.ts'
import { trendsOf } from './steadiness.ts'
import { streamOf } from './stream.ts'

/** Whether output or pace changed through a window, asked while its point goes on: what the reason `trend` will say of it. */
export interface DriftWatch {
  /** A request that has ended; it is kept. */
  add(record: RequestRecord): void
  /** Of a window in which all that has a token in it has ended. Seconds, the very edges: a few milliseconds more can be another answer. */
  drifts(startS: number, endS: number): boolean
}

export function createDriftWatch(): DriftWatch {
  const records: RequestRecord[] = []
  return {
    add: (record) => void records.push(record),
    drifts(startS, endS) {
      const span: Span = { startUs: toMicros(startS), endUs: toMicros(endS) }
      const cells = createCells(span)
      for (const record of records) cells.add(record, streamOf(record))
      return trendsOf(cells, { startS, endS }).length > 0
    },
  }
}
