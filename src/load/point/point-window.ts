import type { Window } from '../../core/index.ts'

export type Phase = 'warmUp' | 'window' | 'hold'

/** The shortest window that says something: so long, and so many turns of the load. */
const LEAST_WINDOW_S = 30
const LEAST_TURNS = 20
/** Records are whole microseconds; a window edge is one too, and an end that closes it is inside. */
export const TICK_S = 1e-6
/** How far L and λ·W may be apart by where the window is cut; and at the end of the time that it may take to find such an edge. */
const EVEN = 0.01
const STILL_EVEN = 0.04
/** That time, as a share of the window. */
const PATIENCE = 0.25

export interface WindowPlan {
  /** Length of the window; without it 30 s, or twenty turns where those take longer. */
  readonly durationS?: number
  /** All requests of the point, warm-up included. With it the window has no asked length. */
  readonly requests?: number
  /** One turn of the load: the mean time in system, and what else lies between a user's requests or two arrivals. */
  readonly turnS: () => number
  /** Where the window starts if it never was opened. */
  readonly fallbackS: () => number | undefined
}

/** Where a point stands: its edges, what is in flight, what of it is measured, and what speaks against the point. */
export interface PointWindow {
  phase(): Phase
  inFlight(): number
  /** How many requests may still be sent. */
  left(): number
  sent(id: string, nowS: number): void
  /** One of those that may be sent was not. */
  forgone(): void
  ended(id: string, nowS: number): void
  /** Again: the window is begun anew; where that one is stopped, the one before stands. */
  open(nowS: number): void
  close(nowS: number): void
  /** At a send, which is outside. */
  closeBefore(nowS: number): void
  /** The window that is closed already reaches to here: a request of it went out later than it was handed on, for want of a connection. */
  reachTo(sentS: number): void
  stop(reason: string, nowS: number): void
  stopped(): boolean
  speak(against: string): void
  /** The window has its length. */
  isLong(nowS: number): boolean
  /** It has its length and may be cut here, since L = λW then closes, see below; or it has taken a quarter more. Not where something else is not clear. */
  isRound(nowS: number, isClear?: boolean): boolean
  over(): boolean
  fromS(): number | undefined
  toS(): number | undefined
  durationS(): number | undefined
  result(): Window
}

/**
 * Over any window, L·T and the stays of those that left in it differ by what its edges cut: the ages of those in flight at its end less
 * the ages of those in flight at its start.
 *
 *        |←──────── window ────────→|
 *    ────+──                     ───+────      sum of ages at an edge: of every request that crosses it, what lies before it
 *      ──+─────               ──────+──
 *
 * A closed loop has much the same ages at every send. Where requests come when they like, a window that closes when the sum of ages is
 * what it was is one after which the load stands as it stood before.
 */
export function createPointWindow({ durationS, requests, turnS, fallbackS }: WindowPlan): PointWindow {
  const reasons = new Set<string>()
  const measured = new Set<string>()
  const sentS = new Map<string, number>()
  let left = requests ?? Number.POSITIVE_INFINITY
  let phase: Phase = 'warmUp'
  let stopped = false
  let lastSendS = 0
  let startS: number | undefined
  let endS: number | undefined
  let whole: { readonly startS: number; readonly endS: number } | undefined
  // Of those in flight: the sum of their sends; and since the window opened, request-seconds.
  let sumSentS = 0
  let presentS = 0
  let countedS = 0
  let agesAtStart = 0

  const agesS = (nowS: number): number => sentS.size * nowS - sumSentS
  const count = (nowS: number): void => {
    if (phase === 'window') presentS += sentS.size * (nowS - countedS)
    countedS = nowS
  }
  const floor = (timeS: number): number => Math.floor(timeS * 1e6) / 1e6
  const fromS = (): number | undefined => {
    if (startS !== undefined) return startS
    const fallback = fallbackS()
    return fallback === undefined ? undefined : floor(fallback)
  }
  const leastS = (): number => Math.max(LEAST_WINDOW_S, LEAST_TURNS * turnS())

  /** How much longer than asked the window is, as a share of that; NaN where no length is asked. */
  const overtime = (nowS: number): number =>
    phase !== 'window' || requests !== undefined ? Number.NaN : (nowS - (startS ?? 0)) / (durationS ?? leastS()) - 1

  const close = (nowS: number): void => {
    if (phase === 'hold') return
    count(nowS)
    if (startS === undefined) {
      reasons.add('warmUpUnclear')
      startS = fromS() ?? floor(nowS)
    }
    endS = Math.round(Math.max(nowS, startS + TICK_S) * 1e6) / 1e6
    phase = 'hold'
  }

  return {
    phase: () => phase,
    inFlight: () => sentS.size,
    left: () => left,
    sent(id, nowS) {
      count(nowS)
      lastSendS = nowS
      sentS.set(id, nowS)
      sumSentS += nowS
      if (phase === 'window') measured.add(id)
      left--
    },
    forgone() {
      left--
    },
    ended(id, nowS) {
      count(nowS)
      sumSentS -= sentS.get(id) ?? 0
      sentS.delete(id)
      measured.delete(id)
    },
    open(nowS) {
      if (startS !== undefined && endS !== undefined) whole = { startS, endS }
      startS = floor(nowS)
      endS = undefined
      phase = 'window'
      measured.clear()
      presentS = 0
      countedS = nowS
      agesAtStart = agesS(nowS)
    },
    close,
    closeBefore: (nowS) => close(floor(nowS)),
    reachTo(sentS) {
      if (phase === 'hold') endS = Math.max(endS ?? 0, Math.round((sentS + TICK_S) * 1e6) / 1e6)
    },
    stop(reason, nowS) {
      if (stopped) return
      stopped = true
      reasons.add(reason)
      if (whole !== undefined && phase === 'window') {
        ;({ startS, endS } = whole)
        phase = 'hold'
      }
      close(lastSendS > (fromS() ?? nowS) + TICK_S ? floor(lastSendS) : nowS)
    },
    stopped: () => stopped,
    speak: (against) => reasons.add(against),
    isLong: (nowS) => overtime(nowS) >= 0,
    isRound(nowS, isClear = true) {
      const over = overtime(nowS) / PATIENCE
      if (!(over >= 0)) return false
      count(nowS)
      const residual = Math.abs(agesS(nowS) - agesAtStart) / presentS
      return over >= 1 || (isClear && !(residual > EVEN + over * (STILL_EVEN - EVEN)))
    },
    over: () => stopped || (phase === 'hold' && (requests === undefined ? measured.size === 0 : sentS.size === 0)),
    fromS,
    toS: () => endS,
    durationS: () => (requests === undefined ? (durationS ?? leastS()) : undefined),
    result() {
      const [from, to] = [startS ?? 0, endS ?? 0]
      if (to - from < leastS() - 2 * TICK_S) reasons.add('windowTooShort')
      return { startS: from, endS: to, steady: reasons.size === 0, reasons: [...reasons] }
    },
  }
}
