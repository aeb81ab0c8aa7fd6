import type { LimitCause } from '../../core/index.ts'
import type { LoadPoint } from '../points.ts'

/** Where a server stopped to decode more at once: more load then only waits, and TTFT tells it, not the pace. */
export interface ServerLimit {
  /** The most that one replica decodes at once, as seen. */
  readonly batch: number
  /** The load at which that many decode: more in flight is a queue. */
  readonly load: number
  /** What it is, where it is not seen but foretold. */
  readonly by?: LimitCause
  /** The points past it. */
  readonly beyond: readonly LoadPoint[]
}

/** Batch growing by less than a quarter of what the load grew (in logarithms) has stopped to grow. */
const STALLED = 0.25

/** TTFT that grows by half from one load to the next is a queue; below it may be prefill sharing the step. */
const WAITING = 1.5

/** Of the most that decode at once; the rest is noise, and requests that are in prefill. */
const FULL = 0.97

/**
 * Finds the limit in points that ascend by load, each with its TTFT. It takes both signs: a batch that stays while TTFT stays is a
 * client that does not send, and a TTFT that grows while the batch grows is a server at work.
 */
export function serverLimitOf(points: readonly LoadPoint[]): ServerLimit | undefined {
  const first = points.findIndex((point, i) => {
    const before = points[i - 1]
    if (before?.ttftMs === undefined || point.ttftMs === undefined) return false
    const stalled = Math.log(point.batch / before.batch) < STALLED * Math.log(point.load / before.load)
    return stalled && point.ttftMs > WAITING * before.ttftMs
  })
  if (first < 1) return undefined
  const batch = points.slice(first - 1).reduce((most, point) => Math.max(most, point.batch), 0)
  const inFlightPerDecoding = points
    .slice(0, first)
    .reduce((least, point) => Math.min(least, point.load / point.batch), Number.POSITIVE_INFINITY)
  const estimate = Math.max(1, Math.round(batch * inFlightPerDecoding))
  // A load that was measured, and had nearly as many decoding, is known to find its places; one more may only wait.
  const full = points.slice(0, first).findLast((point) => point.batch >= FULL * batch)
  return { batch, load: Math.min(estimate, full?.load ?? estimate), beyond: points.slice(first) }
}
