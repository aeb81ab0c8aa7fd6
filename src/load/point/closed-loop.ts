import { createDriftWatch, type DriftWatch } from '../../core/index.ts'
import { backoffS, createErrorGuard } from './error-guard.ts'
import type { Loop } from './loop.ts'
import { createPointWindow, TICK_S } from './point-window.ts'
import { createWarmUp } from './warm-up.ts'

export interface ClosedLoopPlan {
  /** Users, each with at most one request in flight at any time. */
  readonly concurrency: number
  /** All requests of the point, warm-up included. With it the window has no asked length. */
  readonly requests?: number
  /** Length of the window. */
  readonly durationS?: number
  /** The first requests are spread over this long, about one request's time: users that start together would stay together. */
  readonly staggerS: number
  /** The users come one by one over this long instead, and what is sent before all have come says nothing of the load. */
  readonly rampS?: number
  /** What lies between a user's answer and the next request. */
  readonly think?: { readonly meanS: number; readonly nextS: () => number }
}

/** How often a window is begun anew: each costs another, and a machine that is never steady has to be told. */
const MOST_ANEW = 2

interface Waiting {
  readonly user: number
  readonly atS: number
}

/**
 * So many users, each of whom asks again when the answer is there, or has been thought about. The window opens and closes at the instant
 * of a send, so that a lone user's requests lie wholly inside or outside and L = λW closes.
 *
 * A window of the usual length through which the speed changed says nothing of a steady load: when all that began in it has ended, it is
 * begun anew, at most twice. A window that was asked for in seconds or in requests is what was asked for.
 */
export function createClosedLoop(plan: ClosedLoopPlan, beganS = 0): Loop {
  const { concurrency, rampS, think } = plan
  const spreadS = rampS ?? plan.staggerS
  const fullS = rampS === undefined ? Number.NEGATIVE_INFINITY : beganS + rampS
  const warmUp = createWarmUp(concurrency)
  const guard = createErrorGuard(concurrency)
  const finished = new Set<number>()
  const failuresInARow = new Map<number, number>()
  // The last is the next.
  const waiting: Waiting[] = Array.from({ length: concurrency }, (_, i) => {
    const user = concurrency - 1 - i
    return { user, atS: beganS + (user * spreadS) / concurrency }
  })
  let firstSendS: number | undefined
  /** The first send after every user had finished one request: the window's start where no end of the warm-up was found. */
  let secondRoundS: number | undefined
  let drift: DriftWatch | undefined
  let opened = 0

  const window = createPointWindow({
    ...(plan.durationS !== undefined && { durationS: plan.durationS }),
    ...(plan.requests !== undefined && { requests: plan.requests }),
    turnS: () => (warmUp.meanS() ?? 0) + (think?.meanS ?? 0),
    fallbackS: () => secondRoundS ?? firstSendS,
  })

  const wait = (user: number, atS: number): void => {
    let [low, high] = [0, waiting.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((waiting[middle]?.atS ?? 0) > atS) low = middle + 1
      else high = middle
    }
    waiting.splice(low, 0, { user, atS })
  }

  const open = (nowS: number): void => {
    window.open(nowS)
    opened++
    const isUsual = plan.durationS === undefined && plan.requests === undefined
    drift = isUsual && opened <= MOST_ANEW ? createDriftWatch() : undefined
  }

  /** All that began in the window has ended, and it says nothing. A window that is good is asked once, not at every end after it. */
  const isForNothing = (): boolean => {
    if (!window.over() || window.stopped()) return false
    const [fromS, toS] = [window.fromS(), window.toS()]
    if (fromS === undefined || toS === undefined || drift?.drifts(fromS, toS) === false) drift = undefined
    return drift !== undefined
  }

  const edge = (nowS: number): void => {
    if (window.phase() === 'warmUp' && warmUp.state() !== 'running') {
      if (warmUp.state() === 'unclear') window.speak('warmUpUnclear')
      open(nowS)
      return
    }
    if (think === undefined ? window.isLong(nowS) : window.isRound(nowS)) window.closeBefore(nowS)
    if (isForNothing()) open(nowS)
  }

  return {
    dueS() {
      // Without a pause a user is due when an answer ends, which is when the last round closes.
      const isSpent = window.left() === 0 && (think === undefined || window.phase() === 'hold')
      return isSpent || window.stopped() ? undefined : waiting.at(-1)?.atS
    },
    take(id, nowS) {
      const next = waiting.pop()
      if (next === undefined) return undefined
      if (window.left() === 0) {
        window.close(nowS + TICK_S)
        return undefined
      }
      edge(nowS)
      if (window.over()) return undefined
      firstSendS ??= nowS
      if (finished.size === concurrency) secondRoundS ??= nowS
      window.sent(id, nowS)
      return { user: next.user }
    },
    ended({ user }, record, nowS) {
      window.ended(record.id, nowS)
      if (window.stopped()) return
      const failed = record.outcome === 'failed'
      if (record.sentS >= fullS) {
        finished.add(user)
        if (window.phase() === 'warmUp') warmUp.ended(user, failed ? undefined : record.endS - record.sentS)
        else drift?.add(record)
      }
      guard.ended(failed)
      const failures = failed ? (failuresInARow.get(user) ?? 0) + 1 : 0
      failuresInARow.set(user, failures)
      const isLast = window.left() === 0 && think === undefined && window.inFlight() < concurrency
      if (guard.tripped()) window.stop('errorShare', nowS)
      else if (isLast) window.close(Math.max(nowS, record.endS + TICK_S))
      wait(user, nowS + Math.max(backoffS(failures), think?.nextS() ?? 0))
    },
    stop: window.stop,
    phase: window.phase,
    over: () => window.over() && !isForNothing(),
    fromS: window.fromS,
    toS: window.toS,
    durationS: window.durationS,
    requests: plan.requests,
    meanTimeInSystemS: warmUp.meanS,
    window: window.result,
    scheduleFault: () => undefined,
  }
}
