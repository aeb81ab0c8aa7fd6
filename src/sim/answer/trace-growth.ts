import { createGrowth } from '../../core/index.ts'

/** Whether the requests of a trace come faster than they are served, as long as they come. */
export interface TraceGrowth {
  /** A request has come: so many are in flight with it, and so many of them wait. */
  arrived(nowS: number, inFlight: number, waiting: number): void
  grows(): boolean
}

/**
 * While a load first comes up, those in flight grow too; of a trace that lasts so long that this share has ended when the last one comes,
 * coming up is too small a part of it to pass for growth.
 */
const MOST_ENDED = 0.6

export function createTraceGrowth(): TraceGrowth {
  const [flight, queue] = [createGrowth(0, 0), createGrowth(0, 0)]
  let [came, left] = [0, 0]
  return {
    arrived: (nowS, inFlight, waiting) => {
      came += 1
      left = came - inFlight
      flight.now(inFlight, nowS)
      queue.now(waiting, nowS)
    },
    grows: () => queue.grows() || (flight.grows() && left >= MOST_ENDED * came),
  }
}
