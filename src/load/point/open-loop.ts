import { createGrowth, type Growth, type RequestRecord } from '../../core/index.ts'
import { createErrorGuard } from './error-guard.ts'
import type { Loop } from './loop.ts'
import { createPointWindow, TICK_S } from './point-window.ts'
import { createScheduleWatch, LATE_S, MOST_LATE_S } from './schedule-watch.ts'
import { createWarmUp, type WarmUp } from './warm-up.ts'

export interface OpenLoopPlan {
  /** When requests are due, in seconds from the point's start, ascending. */
  readonly arrivals: Iterator<number, unknown>
  /** Of these, per second: its mean once the ramp is over. */
  readonly rate: number
  /** What is sent before says nothing of the load. */
  readonly rampS?: number
  /** All requests of the point, warm-up included. With it the window has no asked length. */
  readonly requests?: number
  /** Length of the window. */
  readonly durationS?: number
  /** More are not sent at once: what is due waits, and is dropped when it has waited too long. */
  readonly maxInFlight: number
  /** A trace is measured whole, from its first request to its last: it is as it is, and has no load to warm up to. */
  readonly isTrace?: boolean
}

/** So many times in system, of a server as it is at first, must pass before it can be said that requests come faster than they are served. */
const LEAST_STAYS = 3

/**
 * Requests that come when the schedule says, whatever became of those before: what a server meets whose users do not know of each other.
 *
 * The schedule is absolute. What is due is sent at once, all of it, be it late; the record keeps when it was due. So nothing that waited
 * is smoothed away: neither by a client that was busy, nor by one that ran out of connections while the server stood still.
 *
 * ```
 *   due      | |  |   ||  | |     |
 *   sent     | |  |   ||  |     || |      late ones together
 *                           ×             or given up, if too late
 * ```
 */
export function createOpenLoop(plan: OpenLoopPlan, beganS = 0): Loop {
  const { arrivals, rate, maxInFlight, isTrace = false } = plan
  const fullS = beganS + (plan.rampS ?? 0)
  const guard = createErrorGuard(Math.ceil(rate))
  const watch = createScheduleWatch(maxInFlight)
  const stays = createMean()
  const early = createEarlyStays()
  const turn = createFirstTurn()
  let growth: Growth | undefined
  let number = 0
  /** Once the ramp is over, of those after it: the window's start where no end of the warm-up was found. */
  let firstSendS: number | undefined

  const meanS = (): number | undefined => {
    return isTrace ? stays.mean() : turn.warmUp()?.meanS()
  }
  /** A trace starts empty: until a few times in system have passed, its requests grow in number on any server. */
  const isTooEarly = (): boolean =>
    isTrace && (window.toS() ?? 0) - (window.fromS() ?? 0) < LEAST_STAYS * (early.meanS() ?? 0)
  const window = createPointWindow({
    ...(plan.durationS !== undefined && { durationS: plan.durationS }),
    ...(plan.requests !== undefined && { requests: plan.requests }),
    turnS: () => Math.max(meanS() ?? 0, isTrace ? 0 : 1 / rate),
    fallbackS: () => firstSendS,
  })
  const nextDueS = (): number | undefined => {
    const next = arrivals.next()
    return next.done === true ? undefined : beganS + next.value
  }
  let headS = nextDueS()

  const isFull = (): boolean => window.inFlight() >= maxInFlight
  const open = (nowS: number): void => {
    window.open(nowS)
    growth = createGrowth(nowS, window.inFlight())
  }
  const edge = (dueS: number, nowS: number): void => {
    const state = turn.warmUp()?.state() ?? 'running'
    if (window.phase() === 'warmUp' && (isTrace || state !== 'running')) {
      if (state === 'unclear') window.speak('warmUpUnclear')
      open(nowS)
      return
    }
    // Not while requests wait that were due inside: their waiting would be in no figure.
    const isClear = nowS - dueS < LATE_S && (headS === undefined || headS > nowS)
    if (window.isRound(nowS, isClear)) window.closeBefore(nowS)
  }
  const count = (nowS: number): void => {
    if (window.phase() === 'window') growth?.now(window.inFlight(), nowS)
  }

  return {
    dueS() {
      if (headS === undefined || window.stopped() || (window.left() === 0 && window.phase() === 'hold'))
        return undefined
      return isFull() && window.left() > 0 ? headS + MOST_LATE_S : headS
    },
    take(id, nowS) {
      if (headS === undefined) return undefined
      if (window.left() === 0) {
        // One more would have been due: to here the load was held.
        window.close(nowS)
        return undefined
      }
      const dueS = headS
      const isDropped = isFull() || nowS - dueS > MOST_LATE_S
      const one = { dueS, nowS, isDropped, isFull: isFull() }
      if (watch.isLost(watch.behindS(one), rate)) {
        window.stop('generatorLate', nowS)
        return undefined
      }
      headS = nextDueS()
      edge(dueS, nowS)
      if (window.over()) return undefined
      const user = number++
      // As a record has it, in whole microseconds, and not after it was sent.
      const scheduledS = Math.floor(Math.min(dueS, nowS) * 1e6) / 1e6
      if (window.phase() === 'window') watch.taken(one)
      if (isDropped) {
        window.forgone()
      } else {
        if (firstSendS === undefined || (firstSendS < fullS && nowS >= fullS)) firstSendS = nowS
        if (window.phase() === 'warmUp' && nowS >= fullS) turn.sent(id)
        if (isTrace) early.sent(id)
        window.sent(id, nowS)
        count(nowS)
      }
      if (headS === undefined) window.close(nowS + TICK_S)
      return { user, scheduledS, takenS: nowS, ...(isDropped && { isDropped }) }
    },
    ended({ takenS }, record, nowS) {
      if (isFull()) watch.freed(nowS)
      window.ended(record.id, nowS)
      count(nowS)
      if (window.stopped()) return
      // What it waited for the thread that sends it, beside its connection.
      if (watch.isLost(record.sentS - (record.connectMs ?? 0) / 1e3 - (takenS ?? record.sentS), rate)) {
        window.stop('generatorLate', nowS)
        return
      }
      if (isTrace) window.reachTo(record.sentS)
      const failed = record.outcome === 'failed'
      if (!failed) stays.add(record.endS - record.sentS)
      if (isTrace) early.ended(record)
      if (window.phase() === 'warmUp' && record.sentS >= fullS) turn.ended(record)
      guard.ended(failed)
      if (guard.tripped()) window.stop('errorShare', nowS)
    },
    stop: window.stop,
    phase: window.phase,
    over: window.over,
    fromS: window.fromS,
    toS: window.toS,
    durationS: window.durationS,
    requests: plan.requests,
    meanTimeInSystemS: meanS,
    window() {
      if (growth?.grows() === true && !isTooEarly()) window.speak('overloaded')
      if (watch.fault() !== undefined) window.speak('generatorLate')
      return window.result()
    },
    scheduleFault: watch.fault,
  }
}

/**
 * The first turn of an open loop: those in flight when the first of them ends. When all of them have ended, as many are in flight as ever
 * will be, and the rest of the warm-up is that of a closed loop of so many users.
 */
function createFirstTurn() {
  const places = new Map<string, number>()
  let warmUp: WarmUp | undefined
  let first = 0
  return {
    sent(id: string): void {
      if (warmUp === undefined) places.set(id, places.size)
    },
    ended({ id, outcome, sentS, endS }: RequestRecord): void {
      const place = places.get(id)
      if (warmUp === undefined) {
        if (place === undefined) return
        first = place
        warmUp = createWarmUp(places.size)
      }
      warmUp.ended(place ?? first, outcome === 'failed' ? undefined : endS - sentS)
    },
    warmUp: (): WarmUp | undefined => warmUp,
  }
}

function createMean() {
  let [count, sum] = [0, 0]
  return {
    add(value: number): void {
      count++
      sum += value
    },
    mean: (): number | undefined => (count === 0 ? undefined : sum / count),
  }
}

/** How long those stayed that were sent before any had ended: they met the server at its emptiest, however full it became. */
function createEarlyStays() {
  const ids = new Set<string>()
  const stays = createMean()
  let isEarly = true
  return {
    sent(id: string): void {
      if (isEarly) ids.add(id)
    },
    ended({ id, outcome, sentS, endS }: RequestRecord): void {
      isEarly = false
      if (ids.delete(id) && outcome !== 'failed') stays.add(endS - sentS)
    },
    meanS: stays.mean,
  }
}
