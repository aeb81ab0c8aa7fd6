import type { RequestRecord } from '../../src/core/index.ts'
import { type ClosedLoop, type ClosedLoopPlan, createClosedLoop } from '../../src/load/closed-loop.ts'

/** How the n-th request goes: its time in system, and whether it fails. */
export type Service = (
  n: number,
  inFlight: number,
  nowS: number,
) => { readonly timeS: number; readonly failed?: boolean }

export interface Played {
  readonly loop: ClosedLoop
  readonly records: readonly RequestRecord[]
  /** Instants of all sends, in order. */
  readonly sends: readonly number[]
  /** The most in flight at once. */
  readonly peak: number
}

/** Of 12 tokens, first after a tenth of its time. */
export function recordOf(
  id: string,
  sentS: number,
  endS: number,
  outcome: RequestRecord['outcome'] = 'ok',
): RequestRecord {
  const firstTokenS = sentS + 0.1 * (endS - sentS)
  const gap = Math.round(((endS - firstTokenS) / 11) * 1e6)
  return {
    id,
    point: 0,
    sentS,
    endS,
    outcome,
    outputTokens: outcome === 'failed' ? 0 : 12,
    tokenSource: 'usage',
    ...(outcome === 'failed'
      ? { gapsUs: [], error: { kind: 'http', message: 'HTTP 500.', status: 500 } }
      : { firstTokenS, lastTokenS: firstTokenS + (11 * gap) / 1e6, gapsUs: Array.from({ length: 11 }, () => gap) }),
  }
}

/** What a client takes from an end to its next send. */
const TURN_S = 20e-6

/** Plays a closed loop against a server in virtual time, as the runner does it with a real one. */
export function play(
  plan: ClosedLoopPlan,
  service: Service,
  interrupt?: { readonly atS: number; readonly why: string },
): Played {
  const loop = createClosedLoop(plan)
  const due: { atS: number; run: (nowS: number) => void }[] = []
  const running = new Map<string, number>()
  const records: RequestRecord[] = []
  const sends: number[] = []
  let sent = 0
  let peak = 0
  const at = (atS: number, run: (nowS: number) => void): void => {
    due.push({ atS, run })
    due.sort((a, b) => a.atS - b.atS)
  }
  const send = (user: number, nowS: number): void => {
    const id = String(++sent)
    if (!loop.sending(id, nowS)) return
    sends.push(nowS)
    running.set(id, nowS)
    peak = Math.max(peak, running.size)
    const { timeS, failed = false } = service(sent, running.size, nowS)
    at(nowS + timeS, (endS) => {
      if (!running.delete(id)) return
      const record = recordOf(id, nowS, endS, failed ? 'failed' : 'ok')
      records.push(record)
      const waitS = loop.ended(user, record, endS)
      if (loop.over()) return
      if (waitS === 0) at(endS + TURN_S, (laterS) => send(user, laterS))
      else at(endS + waitS, (laterS) => send(user, laterS))
    })
  }
  for (let user = 0; user < plan.concurrency; user++) at(loop.startS(user), (nowS) => send(user, nowS))
  if (interrupt !== undefined) at(interrupt.atS, (nowS) => loop.stop(interrupt.why, nowS))
  let nowS = 0
  while (!loop.over()) {
    const next = due.shift()
    if (next === undefined) throw new Error('nothing left to do and the point is not over')
    nowS = next.atS
    next.run(nowS)
  }
  for (const [id, sentS] of running) records.push({ ...recordOf(id, sentS, nowS), outcome: 'cancelled' })
  return { loop, records, sends, peak }
}
