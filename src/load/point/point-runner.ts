import { type RequestFault, type RequestRecord, streamOf, tokensInside, type Window } from '../../core/index.ts'
import type { Client } from '../http/client.ts'
import type { Ask } from '../work/work.ts'
import type { Loop, Turn } from './loop.ts'
import type { Phase } from './point-window.ts'

const PROGRESS_MS = 250
/** A clock is read to the microsecond. */
const EARLY_S = 1e-6
/** Sends that are due go out together, but after so long the sockets are read, and signals heard, before the next. */
const BUSY_S = 0.01
/** Node fires a much longer timer at once; this one is only armed again. */
const LONGEST_TIMER_MS = 1e9

export interface PointProgress {
  readonly phase: Phase
  /** Since the point's first request; in the window, since it opened. */
  readonly elapsedS: number
  /** How long the window is to be, or how many requests there are to send. */
  readonly ofS?: number
  readonly ofRequests?: number
  readonly inFlight: number
  readonly ended: number
  readonly failed: number
  /** Due, but not sent. */
  readonly dropped: number
}

export interface PointTask {
  readonly loop: Loop
  /** Index into the run's points. */
  readonly point: number
  readonly send: Client['send']
  readonly nowS: () => number
  readonly nextId: () => string
  readonly ask: (user: number) => Ask
  readonly onRecord: (record: RequestRecord) => void
  readonly onProgress: (progress: PointProgress) => void
  /** Told when the window opens, is begun anew, and closes; where no end of the warm-up was found, only the last. */
  readonly onWindow?: (edge: 'open' | 'anew' | 'close') => void
  /** Ends the point early, and the word for it that the window's reasons will hold. */
  readonly signal: AbortSignal
  readonly haltedBy: () => string | undefined
}

export interface PointOutcome {
  readonly window: Window
  readonly outputTokensPerSecond: number
  readonly meanTimeInSystemS?: number
  readonly ended: number
  /** Of those, how many brought a token and did not fail. */
  readonly answered: number
  /** Of the last request that failed. */
  readonly fault?: RequestFault
}

/**
 * Output tokens inside the window, while it is not known yet. Its start only ever moves to the present, so what was counted before drops
 * out whole; or back to that of the window before. Its end may lie as far back as the last send, so what ended since then is counted at the
 * next, or when the end is known.
 */
function createWindowTokens({ fromS, toS }: Pick<Loop, 'fromS' | 'toS'>) {
  let countedFrom: number | undefined
  let tokens = 0
  let tokensBefore = 0
  let uncounted: RequestRecord[] = []
  const count = (): void => {
    const from = fromS()
    if (from === undefined) return
    if (countedFrom !== undefined && from < countedFrom) tokens = tokensBefore
    else if (from !== countedFrom) {
      tokensBefore = tokens
      tokens = 0
    }
    countedFrom = from
    const span = { startUs: Math.round(from * 1e6), endUs: Math.round((toS() ?? Number.POSITIVE_INFINITY) * 1e6) }
    for (const record of uncounted) tokens += tokensInside(streamOf(record), span).all
    uncounted = []
  }
  return {
    add: (record: RequestRecord): void => void uncounted.push(record),
    sent(): void {
      if (toS() === undefined) count()
    },
    total(): number {
      count()
      return tokens
    },
  }
}

/** Drives one point: the policy says what is due when, this sends, waits and cancels. Resolves when every request has its record. */
export function runPoint(task: PointTask): Promise<PointOutcome> {
  const { loop, point, nowS, signal } = task
  const tokens = createWindowTokens(loop)
  const cancels = new Map<string, () => void>()
  const startedS = nowS()
  let phase: Phase = 'warmUp'
  let openedS: number | undefined
  let timer: NodeJS.Timeout | undefined
  let armedForS: number | undefined
  let isPumping = false
  let isResting = false // until the event loop has been round
  let isCancelled = false
  let ended = 0
  let failed = 0
  let dropped = 0
  let answered = 0
  let fault: RequestFault | undefined

  return new Promise((resolve) => {
    const tellEdges = (): void => {
      const now = loop.phase()
      const fromS = now === 'window' ? loop.fromS() : openedS
      if (now === phase && fromS === openedS) return
      if (now === 'window') task.onWindow?.(openedS === undefined ? 'open' : 'anew')
      else if (now === 'hold') task.onWindow?.('close')
      phase = now
      openedS = fromS
    }

    const progress = setInterval(() => {
      const fromS = loop.phase() === 'warmUp' ? startedS : (loop.fromS() ?? startedS)
      const ofS = loop.durationS()
      task.onProgress({
        phase: loop.phase(),
        elapsedS: nowS() - fromS,
        ...(ofS !== undefined && { ofS }),
        ...(loop.requests !== undefined && { ofRequests: loop.requests }),
        inFlight: cancels.size,
        ended,
        failed,
        dropped,
      })
    }, PROGRESS_MS)

    const disarm = (): void => {
      clearTimeout(timer)
      isResting = false
      armedForS = undefined
    }
    const arm = (dueS: number, waitS: number): void => {
      if (armedForS === dueS) return
      disarm()
      armedForS = dueS
      timer = setTimeout(
        () => {
          armedForS = undefined
          pump()
        },
        Math.min(Math.ceil((waitS - EARLY_S) * 1e3), LONGEST_TIMER_MS),
      )
    }

    /** Sends all that is due, and wakes for the next. A timer fires up to a millisecond late; the schedule is absolute, so none drifts. */
    const pump = (): void => {
      // A request that ends while it is sent comes by here; so do all that end in the turn after a long one.
      if (isPumping) return
      if (isResting) {
        finishIfOver()
        return
      }
      isPumping = true
      const untilS = nowS() + BUSY_S
      for (;;) {
        const dueS = loop.over() ? undefined : loop.dueS()
        const atS = nowS()
        if (dueS === undefined) {
          disarm()
          break
        }
        if (dueS - atS > EARLY_S) {
          arm(dueS, dueS - atS)
          break
        }
        if (atS > untilS) {
          disarm()
          isResting = true
          timer = setTimeout(rested)
          break
        }
        takeTurn(atS)
      }
      isPumping = false
      finishIfOver()
    }

    const rested = (): void => {
      isResting = false
      pump()
    }

    const takeTurn = (atS: number): void => {
      const id = task.nextId()
      const turn = loop.take(id, atS)
      tokens.sent()
      tellEdges()
      if (turn === undefined) return
      const { user, scheduledS, isDropped = false } = turn
      const schedule = scheduledS === undefined ? {} : { scheduledS }
      if (isDropped) {
        dropped++
        task.onRecord({ id, point, ...schedule, sentS: atS, endS: atS, outcome: 'dropped', ...NO_TOKENS })
      } else {
        const exchange = { id, point, ...schedule, ...task.ask(user) }
        cancels.set(
          id,
          task.send(exchange, (record) => onEnd(turn, record)),
        )
      }
    }

    const onEnd = (turn: Turn, record: RequestRecord): void => {
      cancels.delete(record.id)
      ended++
      if (record.outcome !== 'failed' && record.firstTokenS !== undefined) answered++
      if (record.error !== undefined) {
        failed++
        fault = record.error
      }
      loop.ended(turn, record, nowS())
      tokens.add(record)
      task.onRecord(record)
      pump()
    }

    const finishIfOver = (): void => {
      tellEdges()
      if (!loop.over()) return
      disarm()
      if (!isCancelled) {
        isCancelled = true
        for (const cancel of cancels.values()) cancel()
      }
      if (cancels.size > 0) return
      clearInterval(progress)
      signal.removeEventListener('abort', onAbort)
      const window = loop.window()
      const meanTimeInSystemS = loop.meanTimeInSystemS()
      resolve({
        window,
        outputTokensPerSecond: tokens.total() / (window.endS - window.startS),
        ...(meanTimeInSystemS !== undefined && { meanTimeInSystemS }),
        ended,
        answered,
        ...(fault !== undefined && { fault }),
      })
    }

    const onAbort = (): void => {
      loop.stop(task.haltedBy() ?? 'interrupted', nowS())
      finishIfOver()
    }

    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    else pump()
  })
}

const NO_TOKENS = { outputTokens: 0, tokenSource: 'events', gapsUs: [] } as const
