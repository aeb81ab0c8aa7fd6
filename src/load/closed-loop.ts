import type { RequestRecord, Window } from '../core/index.ts'
import { backoffS, createErrorGuard } from './error-guard.ts'
import { createWarmUp } from './warm-up.ts'

/** The shortest window that says something: so long, and so many times the mean time in system. */
const LEAST_WINDOW_S = 30
const LEAST_TURNS = 20
/** Records are whole microseconds; a window edge is one too, and an end that closes it is inside. */
const TICK_S = 1e-6

export interface ClosedLoopPlan {
  /** Users, each with one request in flight at any time. */
  readonly concurrency: number
  /** All requests of the point, warm-up included. With it the window has no asked length. */
  readonly requests?: number
  /** Length of the window; without it max(30 s, 20 × mean time in system). */
  readonly durationS?: number
  /** The first requests are spread over this long, about one request's time: users that start together would stay together. */
  readonly staggerS: number
}

export type Phase = 'warmUp' | 'window' | 'hold'

/**
 * The policy of one point of a closed loop. It owns no clock and no socket: it is told what happened when, and answers how long a user
 * waits. Times are seconds of the run's clock.
 *
 * ```
 *   starts        warm-up, detected           window                     hold             rest cancelled
 *   |–one request time–|–––––––––––––––|[======================)|–until all begun inside ended–|
 *                                      ↑ a send                ↑ a send
 * ```
 *
 * The window opens and closes at the instant of a send, so that a lone user's requests lie wholly inside or outside and L = λW closes.
 */
export interface ClosedLoop {
  /** Seconds until this user's first request. */
  startS(user: number): number
  /** May one more be sent? Then this counts it. */
  sending(id: string, nowS: number): boolean
  /** Seconds until this user's next request. */
  ended(user: number, record: RequestRecord, nowS: number): number
  /** Ends the point early: the window closes at the last send, and nothing more is sent. */
  stop(reason: string, nowS: number): void
  phase(): Phase
  /** Nothing measured is in flight any more: what still is, is cancelled. */
  over(): boolean
  /** Where the window starts, as it stands: while it is not open yet this moves, and only ever to the present. */
  fromS(): number | undefined
  toS(): number | undefined
  /** Asked or found length of the window, where it has one. */
  durationS(): number | undefined
  meanTimeInSystemS(): number | undefined
  /** What the records are measured over; to be read when the point is over. */
  window(): Window
}

export function createClosedLoop(plan: ClosedLoopPlan): ClosedLoop {
  const { concurrency } = plan
  const warmUp = createWarmUp(concurrency)
  const guard = createErrorGuard(concurrency)
  const reasons = new Set<string>()
  const finished = new Set<number>()
  const failuresInARow = new Map<number, number>()
  const measured = new Set<string>()
  let left = plan.requests ?? Number.POSITIVE_INFINITY
  let inFlight = 0
  let phase: Phase = 'warmUp'
  let stopped = false
  let firstSendS: number | undefined
  let lastSendS = 0
  /** The first send after every user had finished one request: the window's start where no end of the warm-up was found. */
  let secondRoundS: number | undefined
  let startS: number | undefined
  let endS: number | undefined

  const fromS = (): number | undefined => startS ?? secondRoundS ?? firstSendS
  const isOver = (): boolean =>
    stopped || (phase === 'hold' && (plan.requests === undefined ? measured.size === 0 : inFlight === 0))
  const least = (): number => Math.max(LEAST_WINDOW_S, LEAST_TURNS * (warmUp.meanS() ?? 0))
  const floor = (timeS: number): number => Math.floor(timeS * 1e6) / 1e6

  const close = (nowS: number): void => {
    if (startS === undefined) {
      reasons.add('warmUpUnclear')
      startS = floor(fromS() ?? nowS)
    }
    endS = Math.round(Math.max(nowS, startS + TICK_S) * 1e6) / 1e6
    phase = 'hold'
  }

  const stop = (reason: string, nowS: number): void => {
    if (stopped) return
    stopped = true
    reasons.add(reason)
    if (phase === 'hold') return
    close(lastSendS > (fromS() ?? nowS) + TICK_S ? floor(lastSendS) : nowS)
  }

  const edge = (nowS: number): void => {
    if (phase === 'warmUp' && warmUp.state() !== 'running') {
      if (warmUp.state() === 'unclear') reasons.add('warmUpUnclear')
      startS = floor(nowS)
      phase = 'window'
    } else if (phase === 'window' && plan.requests === undefined && startS !== undefined) {
      if (nowS >= startS + (plan.durationS ?? least())) close(floor(nowS))
    }
  }

  return {
    startS: (user) => (user * plan.staggerS) / concurrency,
    sending(id, nowS) {
      if (stopped || left === 0) return false
      edge(nowS)
      if (isOver()) return false
      firstSendS ??= nowS
      if (finished.size === concurrency) secondRoundS ??= nowS
      lastSendS = nowS
      if (phase === 'window') measured.add(id)
      left--
      inFlight++
      return true
    },
    ended(user, record, nowS) {
      inFlight--
      measured.delete(record.id)
      finished.add(user)
      if (stopped) return 0
      const failed = record.outcome === 'failed'
      if (phase === 'warmUp') warmUp.ended(user, failed ? undefined : record.endS - record.sentS)
      guard.ended(failed)
      const failures = failed ? (failuresInARow.get(user) ?? 0) + 1 : 0
      failuresInARow.set(user, failures)
      if (guard.tripped()) stop('errorShare', nowS)
      else if (left === 0 && phase !== 'hold' && inFlight < concurrency) close(Math.max(nowS, record.endS + TICK_S))
      return backoffS(failures)
    },
    stop,
    phase: () => phase,
    over: isOver,
    fromS,
    toS: () => endS,
    durationS: () => (plan.requests === undefined ? (plan.durationS ?? least()) : undefined),
    meanTimeInSystemS: () => warmUp.meanS(),
    window() {
      const [from, to] = [startS ?? 0, endS ?? 0]
      if (to - from < least() - 2 * TICK_S) reasons.add('windowTooShort')
      return { startS: from, endS: to, steady: reasons.size === 0, reasons: [...reasons] }
    },
  }
}
