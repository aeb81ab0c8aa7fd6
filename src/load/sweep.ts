import {
  type Generator,
  type PointHeader,
  type RequestFault,
  type RequestRecord,
  type RunHeader,
  TwospeedError,
  type Window,
} from '../core/index.ts'
import type { RunWriter } from '../store/index.ts'
import { bodyMaker } from './dialect.ts'
import type { RunPlan } from './header.ts'
import { createHealth } from './health.ts'
import { nextLoad, type Rung } from './ladder.ts'
import type { MeasureOptions } from './options.ts'
import { type PointOutcome, runPoint } from './point-runner.ts'
import { createPrompts } from './prompts.ts'
import type { Session } from './session.ts'
import { targetError } from './target-fault.ts'

/** Without any idea of a request's time, so long lies between the starts of two users. */
const BLIND_STAGGER_S = 0.01
const LONGEST_BLIND_STAGGER_S = 1

const SILENT = new TwospeedError(
  'NO_ANSWER',
  'No request was answered before the time limit.',
  'Look at the server, or give more with --time-limit.',
)

export interface SweepTask {
  readonly options: MeasureOptions
  readonly session: Session
  readonly plan: RunPlan
  readonly writer: RunWriter
  readonly header: RunHeader
  readonly timeInSystemS: number | undefined
}

/** One load after another, until those asked for are done, more brings nothing, or the run is halted; each is in the header as soon as it ends. */
export async function measureLoads(task: SweepTask): Promise<readonly PointHeader[]> {
  const { options, session, writer, header } = task
  const points: PointHeader[] = []
  const rungs: Rung[] = []
  let timeInSystemS = task.timeInSystemS
  let answered = 0
  let fault: RequestFault | undefined
  while (!session.signal.aborted) {
    const next = nextLoad(options.concurrency, rungs, options.requests)
    if (next.kind === 'end') {
      if (next.why !== undefined) session.note(next.why)
      break
    }
    const { concurrency } = next
    const { outcome, point } = await measurePoint(task, points.length, concurrency, timeInSystemS)
    if (outcome.ended === 0) break
    const { outputTokensPerSecond } = outcome
    const { window } = point
    points.push(point)
    rungs.push({ concurrency, outputTokensPerSecond })
    await writer.update({ ...header, points })
    session.tell({ kind: 'pointDone', concurrency, outputTokensPerSecond, reasons: window.reasons })
    timeInSystemS = outcome.meanTimeInSystemS ?? timeInSystemS
    answered += outcome.answered
    fault = outcome.fault ?? fault
    if (window.reasons.includes('errorShare')) {
      session.note(`stopped at ${concurrency} users: over half of the last requests failed; no higher load is tried`)
      break
    }
    if (options.concurrency === undefined && point.generator?.saturated === true) {
      session.note(`stopped at ${concurrency} users: this client is at its limit, so higher loads would measure it`)
      break
    }
  }
  if (answered === 0 && session.haltedBy() !== 'interrupted') {
    const error = fault === undefined ? SILENT : targetError(fault, task.plan.address.shown)
    session.tell({ kind: 'allFailed', error })
  }
  return points
}

async function measurePoint(
  { options, session, plan, writer }: SweepTask,
  index: number,
  concurrency: number,
  timeInSystemS: number | undefined,
): Promise<{ readonly outcome: PointOutcome; readonly point: PointHeader }> {
  const { found, inputTokens, outputTokens } = plan
  // Of each point its own, so that a seed repeats them however long the points before took.
  const prompts = createPrompts(`${plan.seed}/${index}`)
  const bodyOf = bodyMaker(found.dialect, outputTokens)
  const health = createHealth(session.clock, session.client)
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
    exchangeOf: (id) => ({
      id,
      point: index,
      body: bodyOf(prompts.next(found.words)),
      askedInputTokens: inputTokens,
      askedOutputTokens: outputTokens,
    }),
    onRecord: (record: RequestRecord) => writer.append(record),
    onWindow: (edge) => {
      if (edge === 'open') health.begin()
      else generator = health.end()
    },
    onProgress: (progress) => session.tell({ kind: 'point', concurrency, ...progress }),
    signal: session.signal,
    haltedBy: session.haltedBy,
  })
  const load = { kind: 'concurrency', value: concurrency } as const
  return { outcome, point: { load, window: judged(outcome.window, generator), ...(generator && { generator }) } }
}

/** A slow client must never look like a fast server. */
function judged(window: Window, generator: Generator | undefined): Window {
  if (generator?.saturated !== true) return window
  return { ...window, steady: false, reasons: [...window.reasons, 'generatorSaturated'] }
}
