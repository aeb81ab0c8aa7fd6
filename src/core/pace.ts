import { createGapMeter } from './gaps.ts'
import { createPlacedSamples } from './placed-samples.ts'
import type { BatchInterval, LatencySummary, SpeedSummary } from './run.ts'
import { type Stream, tpotUs } from './stream.ts'
import { latencySummary, speedSummary } from './summary.ts'
import { createTpotAfterFirstEvent } from './tpot-after-first-event.ts'

/** How streams ran between their first and last token: TPOT, its inverse the pace of a user, and the gaps. */
export interface PaceMeter {
  /** `cell`: that of the window in which the request began. */
  add(stream: Stream, cell: number): void
  tokensPerSecond(): SpeedSummary
  latency(): {
    readonly tpotMs: LatencySummary
    readonly tpotAfterFirstEventMs: LatencySummary | undefined
    readonly itlMs: LatencySummary
    readonly itlPerTokenMs: LatencySummary | undefined
  }
  intervals(): PaceIntervals
  /** First events bore so many tokens that TPOT is over 5 % off the time per token after them. */
  firstEventBundled(): boolean
}

export interface PaceIntervals {
  readonly tokensPerSecond: { readonly p10: BatchInterval | undefined; readonly p50: BatchInterval | undefined }
  readonly tpotUs: { readonly p50: BatchInterval | undefined }
}

export function createPaceMeter(): PaceMeter {
  const tpot = createPlacedSamples()
  const speed = createPlacedSamples()
  const afterFirst = createTpotAfterFirstEvent()
  const gaps = createGapMeter()
  return {
    add: (stream, cell) => {
      const us = tpotUs(stream)
      if (us !== undefined) {
        tpot.push(us, cell)
        speed.push(1e6 / us, cell)
        afterFirst.add(stream, us)
      }
      gaps.add(stream)
    },
    tokensPerSecond: () => speedSummary(speed),
    latency: () => {
      const after = afterFirst.distribution()
      const each = gaps.perToken()
      return {
        tpotMs: latencySummary(tpot),
        tpotAfterFirstEventMs: after && latencySummary(after),
        itlMs: latencySummary(gaps.raw()),
        itlPerTokenMs: each && latencySummary(each),
      }
    },
    intervals: () => ({
      tokensPerSecond: { p10: speed.interval(10), p50: speed.interval(50) },
      tpotUs: { p50: tpot.interval(50) },
    }),
    firstEventBundled: () => afterFirst.isFarFromTpot(),
  }
}
