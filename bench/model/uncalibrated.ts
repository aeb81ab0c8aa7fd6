/** From specifications alone: the pace at every row. */
import { closedLoop } from '../../src/model/roofline/closed-loop.ts'
import { evidenceOf } from '../../src/model/roofline/confidence.ts'
import { type Comparison, compare } from './comparison.ts'
import type { PredictableSweep } from './configuration-of.ts'

export function uncalibrated(sweeps: readonly PredictableSweep[]): readonly Comparison[] {
  return sweeps.flatMap((sweep) => {
    const { configuration, model, memory, lengths, rows, loadOf } = sweep
    return rows.map((row) => {
      const load = loadOf(row)
      const evidence = evidenceOf({ configuration, lengths, load })
      return compare(sweep, row, closedLoop(model, memory, lengths, load), evidence)
    })
  })
}
