import { toMicros } from './instants.ts'
import type { RequestRecord } from './record.ts'
import type { Objectives, Point } from './run.ts'
import { isOfSeveral, type Stream, tpotUs } from './stream.ts'

/** A share of requests for a person: rounded down, so that what misses 90 % never reads as 90 %. */
export function portion(share: number): string {
  const step = share >= 0.99 ? 100 : 10
  return `${Math.floor(100 * step * share + 1e-6) / step} %`
}

/** Requests that met every stated limit. */
export interface Goodput {
  /** Of a request that began, or was due, inside the window. */
  add(record: RequestRecord, stream: Stream | undefined): void
  /** Undefined where nothing is asked or nothing was judged. */
  result(windowS: number): Point['goodput']
}

/** Limits are included: what meets one exactly meets it, whatever the last bit of a division says. */
const within = (value: number, limit: number): boolean => value <= limit * (1 + 1e-9)

export function createGoodput(objectives: Objectives | undefined): Goodput {
  const { ttftMs, tpotMs, tokensPerSecond } = objectives ?? {}
  const asksPace = tpotMs !== undefined || tokensPerSecond !== undefined
  const asks = asksPace || ttftMs !== undefined
  let judged = 0
  let good = 0
  const isGood = (record: RequestRecord, stream: Stream | undefined): boolean => {
    if (record.outcome !== 'ok' || stream === undefined) return false
    if (ttftMs !== undefined && !within(stream.firstUs - toMicros(record.sentS), ttftMs * 1000)) return false
    // A reply of one token has no pace, so no limit on pace applies to it.
    const us = tpotUs(stream)
    if (us === undefined) return true
    return (
      (tpotMs === undefined || within(us, tpotMs * 1000)) &&
      (tokensPerSecond === undefined || within(us, 1e6 / tokensPerSecond))
    )
  }
  return {
    add: (record, stream) => {
      // One who stopped reading has judged nothing; an answer of several choices cannot be judged by pace.
      if (!asks || record.outcome === 'cancelled' || (asksPace && isOfSeveral(record))) return
      judged += 1
      if (isGood(record, stream)) good += 1
    },
    result: (windowS) => (judged === 0 ? undefined : { attainment: good / judged, requestsPerSecond: good / windowS }),
  }
}
