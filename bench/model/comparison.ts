import type { PredictedPoint } from '../../src/model/roofline/closed-loop.ts'
import { confidenceOf, type Evidence } from '../../src/model/roofline/confidence.ts'
import type { Bounded } from './intervals.ts'
import type { ServingRow } from './serving.ts'

/** The pace that was predicted for a row and the one that was measured, with the interval that came with the prediction. */
export interface Comparison extends Bounded {
  readonly row: ServingRow
  readonly experts: boolean
}

export function compare(row: ServingRow, experts: boolean, point: PredictedPoint, evidence: Evidence): Comparison {
  const { low, high } = confidenceOf(evidence)
  const predicted = point.tokensPerSecondPerUser
  return { row, experts, predicted, measured: 1000 / row.tpotMs, low: predicted * low, high: predicted * high }
}
