/** From specifications alone: the pace at every row. */
import { closedLoop } from '../../src/model/roofline/closed-loop.ts'
import { evidenceOf } from '../../src/model/roofline/confidence.ts'
import { type Comparison, compare } from './comparison.ts'
import { predictorOf } from './configuration-of.ts'
import type { ServingRow } from './serving.ts'

export function uncalibrated(rows: readonly ServingRow[]): readonly Comparison[] {
  return rows.map((row) => {
    const { configuration, model, memory, lengths, replicas, experts } = predictorOf(row)
    const point = closedLoop(model, memory, lengths, row.concurrency / replicas)
    return compare(row, experts, point, evidenceOf(configuration, lengths))
  })
}
