import { createGapMeter } from './gaps.ts'
import type { LatencySummary, SpeedSummary } from './run.ts'
import { createSamples } from './samples.ts'
import { type Stream, tpotUs } from './stream.ts'
import { latencySummary, speedSummary } from './summary.ts'
import { createTpotAfterFirstEvent } from './tpot-after-first-event.ts'

/** How streams ran between their first and last token: TPOT, its inverse the pace of a user, and the gaps. */
export interface PaceMeter {
  add(stream: Stream): void
  tokensPerSecond(): SpeedSummary
  latency(): {
    readonly tpotMs: LatencySummary
    readonly tpotAfterFirstEventMs: LatencySummary | undefined
    readonly itlMs: LatencySummary
    readonly itlPerTokenMs: LatencySummary | undefined
  }
  /** First events bore so many tokens that TPOT is over 5 % off the time per token after them. */
  firstEventBundled(): boolean
}

export function createPaceMeter(): PaceMeter {
  const tpot = createSamples()
  const speed = createSamples()
  const afterFirst = createTpotAfterFirstEvent()
  const gaps = createGapMeter()
  return {
    add: (stream) => {
      const us = tpotUs(stream)
      if (us !== undefined) {
        tpot.push(us)
        speed.push(1e6 / us)
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
    firstEventBundled: () => afterFirst.isFarFromTpot(),
  }
}
