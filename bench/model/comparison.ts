import type { PredictedPoint } from '../../src/model/roofline/closed-loop.ts'
import { confidenceOf, type Evidence } from '../../src/model/roofline/confidence.ts'
import type { PredictableSweep } from './configuration-of.ts'
import type { Bounded } from './intervals.ts'
import type { ServingRow, ServingSetup } from './serving.ts'

/** The pace that was predicted for a row and the one that was measured, with the interval that came with the prediction. */
export interface Comparison extends Bounded {
  readonly setup: ServingSetup
  readonly concurrency: number
  readonly experts: boolean
}

export function compare(
  { setup, experts }: PredictableSweep,
  { concurrency, tokensPerSecondPerUser: measured }: ServingRow,
  point: PredictedPoint,
  evidence: Evidence,
): Comparison {
  const { low, high } = confidenceOf(evidence)
  const predicted = point.tokensPerSecondPerUser
  return { setup, concurrency, experts, predicted, measured, low: predicted * low, high: predicted * high }
}
