import { type RequestFault, type RequestRecord, streamOf, tokensInside, type Window } from '../core/index.ts'
import type { Client, Exchange } from './client.ts'
import { type ClosedLoopPlan, createClosedLoop, type Phase } from './closed-loop.ts'

const PROGRESS_MS = 250

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
}

export interface PointTask {
  readonly plan: ClosedLoopPlan
  readonly send: Client['send']
  readonly nowS: () => number
  readonly nextId: () => string
  readonly exchangeOf: (id: string, user: number) => Exchange
  readonly onRecord: (record: RequestRecord) => void
  readonly onProgress: (progress: PointProgress) => void
  /** Told when the window opens and when it closes; where no end of the warm-up was found, only the latter. */
  readonly onWindow?: (edge: 'open' | 'close') => void
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

/** Output tokens inside the window, while it is not known yet: its start only ever moves to the present, so what was counted before drops out whole. */
function createWindowTokens(fromS: () => number | undefined, toS: () => number | undefined) {
  let countedFrom: number | undefined
  let tokens = 0
  return {
    add(record: RequestRecord): void {
      const from = fromS()
      if (from === undefined) return
      if (from !== countedFrom) tokens = 0
      countedFrom = from
      const span = { startUs: Math.round(from * 1e6), endUs: Math.round((toS() ?? Number.POSITIVE_INFINITY) * 1e6) }
      tokens += tokensInside(streamOf(record), span).all
    },
    total: () => tokens,
  }
}

/** Drives one point of a closed loop: the policy decides, this sends, waits and cancels. Resolves when every request has its record. */
export function runPoint(task: PointTask): Promise<PointOutcome> {
  const { plan, nowS, signal } = task
  const loop = createClosedLoop(plan)
  const tokens = createWindowTokens(loop.fromS, loop.toS)
  const cancels = new Map<string, () => void>()
  const waits = new Set<NodeJS.Timeout>()
  const startedS = nowS()
  let phase: Phase = 'warmUp'
  let cancelled = false
  let ended = 0
  let failed = 0
  let answered = 0
  let fault: RequestFault | undefined

  return new Promise((resolve) => {
    const tellEdges = (): void => {
      const now = loop.phase()
      if (now === phase) return
      if (now === 'window') task.onWindow?.('open')
      else if (now === 'hold') task.onWindow?.('close')
      phase = now
    }

    const progress = setInterval(() => {
      const fromS = loop.phase() === 'warmUp' ? startedS : (loop.fromS() ?? startedS)
      const ofS = loop.durationS()
      task.onProgress({
        phase: loop.phase(),
        elapsedS: nowS() - fromS,
        ...(ofS !== undefined && { ofS }),
        ...(plan.requests !== undefined && { ofRequests: plan.requests }),
        inFlight: cancels.size,
        ended,
        failed,
      })
    }, PROGRESS_MS)

    const finishIfOver = (): void => {
      tellEdges()
      if (!loop.over()) return
      for (const wait of waits) clearTimeout(wait)
      waits.clear()
      if (!cancelled) {
        cancelled = true
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

    const send = (user: number): void => {
      const id = task.nextId()
      if (loop.sending(id, nowS())) {
        cancels.set(
          id,
          task.send(task.exchangeOf(id, user), (record) => onEnd(user, record)),
        )
        tellEdges()
      } else finishIfOver()
    }

    const sendAfter = (user: number, waitS: number): void => {
      const wait = setTimeout(() => {
        waits.delete(wait)
        send(user)
      }, waitS * 1000)
      waits.add(wait)
    }

    const onEnd = (user: number, record: RequestRecord): void => {
      cancels.delete(record.id)
      ended++
      if (record.outcome !== 'failed' && record.firstTokenS !== undefined) answered++
      if (record.error !== undefined) {
        failed++
        fault = record.error
      }
      const waitS = loop.ended(user, record, nowS())
      tokens.add(record)
      task.onRecord(record)
      if (loop.over()) finishIfOver()
      else if (waitS === 0) send(user)
      else sendAfter(user, waitS)
    }

    const onAbort = (): void => {
      loop.stop(task.haltedBy() ?? 'interrupted', nowS())
      finishIfOver()
    }

    signal.addEventListener('abort', onAbort, { once: true })
    for (let user = 0; user < plan.concurrency; user++) sendAfter(user, loop.startS(user))
    if (signal.aborted) onAbort()
  })
}
