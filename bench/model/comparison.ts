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
  /** The first token, ms; where the table has it. */
  readonly ttft?: Bounded
}

export function compare(
  { setup, experts }: PredictableSweep,
  { concurrency, ttftMs, tokensPerSecondPerUser: measured }: ServingRow,
  point: PredictedPoint,
  evidence: Evidence,
): Comparison {
  const { low, high, ttft } = confidenceOf(evidence)
  const predicted = point.tokensPerSecondPerUser
  const pace = { predicted, measured, low: predicted * low, high: predicted * high }
  if (ttftMs === undefined) return { setup, concurrency, experts, ...pace }
  const first = {
    predicted: point.ttftMs,
    measured: ttftMs,
    low: ttft.low * point.ttftMs,
    high: ttft.high * point.ttftMs,
  }
  return { setup, concurrency, experts, ...pace, ttft: first }
}
