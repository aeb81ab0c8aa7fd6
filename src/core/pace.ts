import { createGapMeter, type GapMeter } from './gaps.ts'
import { createPlacedSamples } from './placed-samples.ts'
import type { BatchInterval, LatencySummary, SpeedSummary } from './run.ts'
import { type Stream, tpotUs } from './stream.ts'
import { latencySummary, speedSummary } from './summary.ts'
import { createTpotAfterFirstEvent } from './tpot-after-first-event.ts'

/** How streams ran between their first and last token: TPOT, its inverse the pace of a user, and the gaps. */
export interface PaceMeter {
  /** TPOT and pace of an answer. */
  add(stream: Stream, sentUs: number): void
  /** Its gaps, and such as are told by their number. */
  readonly gaps: Pick<GapMeter, 'add' | 'addCounted'>
  tokensPerSecond(): SpeedSummary
  latency(): {
    readonly tpotMs: LatencySummary
    readonly tpotAfterFirstEventMs: LatencySummary | undefined
    readonly itlMs: LatencySummary
    readonly itlPerTokenMs: LatencySummary | undefined
  }
  intervals(cellOf: (instantUs: number) => number): PaceIntervals
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
    add: (stream, sentUs) => {
      const us = tpotUs(stream)
      if (us === undefined) return
      tpot.push(us, sentUs)
      speed.push(1e6 / us, sentUs)
      afterFirst.add(stream, us)
    },
    gaps,
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
    intervals: (cellOf) => ({
      tokensPerSecond: { p10: speed.interval(10, cellOf), p50: speed.interval(50, cellOf) },
      tpotUs: { p50: tpot.interval(50, cellOf) },
    }),
    firstEventBundled: () => afterFirst.isFarFromTpot(),
  }
}
