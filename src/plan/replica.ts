import type { ReplicaLoad } from '../core/index.ts'
import type { LoadPoint, OperatingPoint } from '../model/index.ts'
import type { Evidence } from './evidence.ts'

/** One replica of what was measured, which may have been several. */
export interface Replica {
  /** Absent while unknown. */
  readonly gpus?: number
  /** What so many in flight get: undefined where nothing is known of that load. */
  at(inFlight: number): ReplicaLoad | undefined
  /** The least load, up to one that answers as many, at which so many requests a second are answered. */
  answering(requestsPerSecond: number, most: number): ReplicaLoad | undefined
}

/** How many replicas were measured together; of a prediction, whose fit is made only when it is asked for, it is one. */
export const replicasOf = (evidence: Evidence): number =>
  evidence.isPredicted === undefined ? (evidence.fit.replicas ?? 1) : 1

/**
 * Of answers of N tokens. A request stays
 *
 *     W = TTFT + N / pace
 *
 * and by Little's law a replica with x in flight answers x / W a second. Alone a request has the pace of one, so that below one in flight
 * only the time between requests grows.
 */
export function replicaOf(evidence: Evidence, outputTokens: number): Replica {
  const { curve, gpus } = evidence
  const count = replicasOf(evidence)
  const [least] = curve.points
  const waits = curve.points.filter(({ ttftMs }) => ttftMs !== undefined)

  const pointAt = (load: number): OperatingPoint | undefined => {
    const point = curve.at(load)
    if (point !== undefined || least === undefined || load >= least.load) return point
    // Fewer in flight are no slower.
    const first = curve.at(least.load)
    return first && { ...first, source: 'extrapolated' }
  }

  const at = (inFlight: number): ReplicaLoad | undefined => {
    const point = pointAt(Math.max(1, inFlight) * count)
    if (point === undefined) return undefined
    const ttftMs = point.ttftMs ?? nearestWait(waits, point.load)
    const timeInSystemS = (ttftMs ?? 0) / 1000 + outputTokens / point.tokensPerSecondPerUser
    const requestsPerSecond = inFlight / timeInSystemS
    return {
      inFlight,
      requestsPerSecond,
      timeInSystemS,
      tokensPerSecondPerUser: point.tokensPerSecondPerUser,
      outputTokensPerSecond: requestsPerSecond * outputTokens,
      ...(ttftMs !== undefined && { ttftMs }),
      source: point.source,
    }
  }

  const answering = (requestsPerSecond: number, most: number): ReplicaLoad | undefined => {
    let [low, high] = [0, most]
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2
      const found = at(middle)
      if (found !== undefined && found.requestsPerSecond < requestsPerSecond) low = middle
      else high = middle
    }
    const found = at(high)
    if (found === undefined) return undefined
    // Where a measured load stands apart from those beside it, no load answers just so many.
    const inFlight = requestsPerSecond * found.timeInSystemS
    return { ...found, inFlight, requestsPerSecond, outputTokensPerSecond: requestsPerSecond * outputTokens }
  }

  return { ...(gpus !== undefined && { gpus: Math.ceil(gpus / count) }), at, answering }
}

/** Of any load to the last digit. */
const HALVINGS = 60

/** Outside the loads that were measured no law tells a wait: that of the nearest load that holds one stands for it. */
function nearestWait(waits: readonly LoadPoint[], load: number): number | undefined {
  return (waits.findLast((point) => point.load <= load) ?? waits[0])?.ttftMs
}
