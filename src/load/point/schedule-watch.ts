import type { ScheduleFault } from './loop.ts'

/** What was due so long ago is not sent any more: it would say nothing of the load that was asked for. */
export const MOST_LATE_S = 10
/** A request is late beyond this, the size of a fast server's gap between tokens; and a schedule where one in a hundred is. */
export const LATE_S = 0.05
const TOLERABLE = 0.01
/** A client that is so far behind, and so many requests, catches up no more. */
const LOST_S = 1
const LOST_REQUESTS = 20_000

interface Taken {
  readonly dueS: number
  readonly nowS: number
  readonly isDropped: boolean
  /** As many are in flight as may be. */
  readonly isFull: boolean
}

/** Whether the schedule of an open loop was kept, and if not, whose fault that is: the client's, or of the connections it may have. */
export interface ScheduleWatch {
  /** A connection has come free while all were taken. */
  freed(nowS: number): void
  taken(one: Taken): void
  /** Of that which is due next: how long the client alone, and no want of connections, has kept it waiting. */
  behindS(one: Omit<Taken, 'isDropped'>): number
  /** At this rate the client is so far behind by itself that to go on would only measure it. */
  isLost(behindS: number, rate: number): boolean
  fault(): ScheduleFault | undefined
}

export function createScheduleWatch(maxInFlight: number): ScheduleWatch {
  let freeS = Number.NEGATIVE_INFINITY
  let all = 0
  let late = 0
  let waited = 0
  let lost = 0
  return {
    freed(nowS) {
      freeS = nowS
    },
    taken({ dueS, nowS, isDropped, isFull }) {
      all++
      // Until a connection came free it could not be sent; from then on the client has to answer for it.
      if (!(isDropped && isFull) && nowS - Math.max(dueS, freeS) > LATE_S) late++
      else if (nowS - dueS > LATE_S) waited++
    },
    behindS: ({ dueS, nowS, isFull }) => nowS - (isFull ? dueS + MOST_LATE_S : Math.max(dueS, freeS)),
    isLost(behindS, rate) {
      if (behindS > LOST_S && behindS * rate > LOST_REQUESTS) lost = Math.round(behindS * rate)
      return lost > 0
    },
    fault() {
      if (lost > 0)
        return { saturated: true, why: `about ${lost} requests were due that this client had not come to send` }
      if (late > TOLERABLE * all)
        return {
          saturated: true,
          why: `${late} of ${all} requests were sent over ${1000 * LATE_S} ms late, or not at all`,
        }
      if (waited > TOLERABLE * all)
        return {
          saturated: false,
          why: `${waited} of ${all} requests had to wait for one of the ${maxInFlight} that may be in flight`,
        }
      return undefined
    },
  }
}
