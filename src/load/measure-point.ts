import type { Generator, Load, PointHeader, RequestRecord, Window } from '../core/index.ts'
import { createHealth } from './health.ts'
import { type PointOutcome, runPoint } from './point-runner.ts'
import type { SweepTask } from './sweep.ts'
import { createWork } from './work.ts'

/** Without any idea of a request's time, so long lies between the starts of two users. */
const BLIND_STAGGER_S = 0.01
const LONGEST_BLIND_STAGGER_S = 1

/** One load, from its first request to the end of its last, with what the generator says of itself. */
export async function measurePoint(
  { options, session, plan, writer }: SweepTask,
  index: number,
  load: Load,
  timeInSystemS: number | undefined,
): Promise<{ readonly outcome: PointOutcome; readonly point: PointHeader }> {
  // Of each point its own, so that a seed repeats it however long the points before took.
  const work = createWork(plan, `${plan.seed}/${index}`)
  const health = createHealth(session.clock, session.client)
  const concurrency = load.value
  let generator: Generator | undefined
  let sent = 0
  health.begin()
  const outcome = await runPoint({
    plan: {
      concurrency,
      ...(options.requests !== undefined && { requests: options.requests }),
      ...(options.durationS !== undefined && { durationS: options.durationS }),
      staggerS: timeInSystemS ?? Math.min(LONGEST_BLIND_STAGGER_S, BLIND_STAGGER_S * concurrency),
    },
    send: session.client.send,
    nowS: session.clock.nowS,
    nextId: () => `${session.idPrefix}-${index}-${++sent}`,
    exchangeOf: (id, user) => ({ id, point: index, ...work.next(user) }),
    onRecord: (record: RequestRecord) => writer.append(record),
    onWindow: (edge) => {
      if (edge === 'open') health.begin()
      else generator = health.end()
    },
    onProgress: (progress) => session.tell({ kind: 'point', load, ...progress }),
    signal: session.signal,
    haltedBy: session.haltedBy,
  })
  return { outcome, point: { load, window: judged(outcome.window, generator), ...(generator && { generator }) } }
}

/** A slow client must never look like a fast server. */
function judged(window: Window, generator: Generator | undefined): Window {
  if (generator?.saturated !== true) return window
  return { ...window, steady: false, reasons: [...window.reasons, 'generatorSaturated'] }
}
