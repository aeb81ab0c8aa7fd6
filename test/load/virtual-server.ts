import type { RequestRecord } from '../../src/core/index.ts'
import type { Loop, Turn } from '../../src/load/point/loop.ts'

/** How the n-th request goes: its time in system, when its first token comes, and whether it fails. */
export type Service = (
  n: number,
  inFlight: number,
  nowS: number,
) => {
  readonly timeS: number
  readonly failed?: boolean /** Without it a tenth of its time. */
  readonly firstS?: number
}

export interface Played {
  readonly loop: Loop
  readonly records: readonly RequestRecord[]
  /** Instants of all sends, in order. */
  readonly sends: readonly number[]
  /** The most in flight at once. */
  readonly peak: number
}

/** Of 12 tokens. */
export function recordOf(
  id: string,
  sentS: number,
  endS: number,
  outcome: RequestRecord['outcome'] = 'ok',
  firstS: number = 0.1 * (endS - sentS),
): RequestRecord {
  const firstTokenS = sentS + firstS
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

export interface Playing {
  /** Ends the point early. */
  readonly interrupt?: { readonly atS: number; readonly why: string }
  /** The client does nothing in between: what is due, or ends, waits for its end. */
  readonly asleep?: { readonly fromS: number; readonly untilS: number }
}

/** Plays a point against a server in virtual time, as the runner does it with a real one. */
export function play(loop: Loop, service: Service, { interrupt, asleep }: Playing = {}): Played {
  const due: { atS: number; run: (nowS: number) => void }[] = []
  const running = new Map<string, { readonly sentS: number; readonly turn: Turn }>()
  const records: RequestRecord[] = []
  const sends: number[] = []
  let sent = 0
  let peak = 0
  let clearS = Number.NEGATIVE_INFINITY
  const at = (atS: number, run: (nowS: number) => void): void => {
    const next = due.findIndex((one) => one.atS > atS)
    due.splice(next < 0 ? due.length : next, 0, { atS, run })
  }
  const awake = (atS: number): number =>
    asleep !== undefined && atS >= asleep.fromS && atS < asleep.untilS ? asleep.untilS : atS

  const take = (nowS: number): void => {
    const id = String(++sent)
    const turn = loop.take(id, nowS)
    if (turn === undefined) return
    const { scheduledS, isDropped = false } = turn
    const schedule = scheduledS === undefined ? {} : { scheduledS }
    if (isDropped) {
      const nothing = { outputTokens: 0, tokenSource: 'events', gapsUs: [] } as const
      records.push({ id, point: 0, ...schedule, sentS: nowS, endS: nowS, outcome: 'dropped', ...nothing })
      return
    }
    sends.push(nowS)
    running.set(id, { sentS: nowS, turn })
    peak = Math.max(peak, running.size)
    const { timeS, failed = false, firstS } = service(sent, running.size, nowS)
    at(nowS + timeS, (endS) => {
      if (!running.delete(id)) return
      const record = { ...recordOf(id, nowS, endS, failed ? 'failed' : 'ok', firstS), ...schedule }
      records.push(record)
      loop.ended(turn, record, endS)
      clearS = endS + TURN_S
    })
  }

  if (interrupt !== undefined) at(interrupt.atS, (nowS) => loop.stop(interrupt.why, nowS))
  let nowS = 0
  while (!loop.over()) {
    const dueS = loop.dueS()
    const sendS = dueS === undefined ? Number.POSITIVE_INFINITY : awake(Math.max(dueS, clearS, nowS))
    const next = due[0]
    if (next !== undefined && awake(next.atS) <= sendS) {
      due.shift()
      nowS = awake(next.atS)
      next.run(nowS)
    } else if (Number.isFinite(sendS)) {
      nowS = sendS
      take(nowS)
    } else throw new Error('nothing left to do and the point is not over')
  }
  for (const [id, { sentS, turn }] of running) {
    const schedule = turn.scheduledS === undefined ? {} : { scheduledS: turn.scheduledS }
    records.push({ ...recordOf(id, sentS, nowS), ...schedule, outcome: 'cancelled' })
  }
  return { loop, records, sends, peak }
}
