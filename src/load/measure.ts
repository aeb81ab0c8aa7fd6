import { existsSync } from 'node:fs'
import {
  type PointHeader,
  type RequestFault,
  type RequestRecord,
  type Run,
  type RunHeader,
  TwospeedError,
} from '../core/index.ts'
import { summarizeRun } from '../model/index.ts'
import { createRunFolder, type RunWriter, readRecords } from '../store/index.ts'
import { checkOptions } from './check-options.ts'
import { bodyMaker } from './dialect.ts'
import { defaultFolder, headerOf, type RunPlan } from './header.ts'
import { nextLoad, type Rung } from './ladder.ts'
import type { MeasureOptions } from './options.ts'
import { type PointOutcome, runPoint } from './point-runner.ts'
import { prepare } from './prepare.ts'
import { createPrompts } from './prompts.ts'
import { openSession, type Session } from './session.ts'
import { targetError } from './target-fault.ts'

/** Without any idea of a request's time, so long lies between the starts of two users. */
const BLIND_STAGGER_S = 0.01
const LONGEST_BLIND_STAGGER_S = 1

const SILENT = new TwospeedError(
  'NO_ANSWER',
  'No request was answered before the time limit.',
  'Look at the server, or give more with --time-limit.',
)

/**
 * Measures an OpenAI-compatible server at one load after another and leaves a run folder: every request in it, and the figures computed
 * from them, which are also what this resolves to. A run that is halted keeps what was measured.
 *
 * @throws TwospeedError when the options mean nothing (exit 2) or the target fails before the first measured request (exit 3).
 */
export async function measure(options: MeasureOptions): Promise<Run> {
  checkOptions(options)
  if (options.out !== undefined && existsSync(options.out)) {
    throw new TwospeedError('OUT_EXISTS', `${options.out} is there already.`, 'Name a folder that is not there yet.')
  }
  const session = openSession(options)
  try {
    return await measureTarget(options, session)
  } catch (error) {
    if (error instanceof Error) error.message = session.redact(error.message)
    throw error
  } finally {
    await session.close()
  }
}

async function measureTarget(options: MeasureOptions, session: Session): Promise<Run> {
  const { plan, timeInSystemS } = await prepare(session, options)
  const header = headerOf(options, plan, session.clock)
  const dir = options.out ?? defaultFolder(header.createdAt, plan.model)
  const writer = await createRunFolder(dir, header)
  session.tell({ kind: 'folder', dir })
  writer.failed.addEventListener('abort', () => session.halt('recordsNotWritten'), { once: true })
  const points = await measurePoints({ options, session, plan, writer, header, timeInSystemS }).finally(writer.close)
  const run = await summarizeRun({ ...header, points }, readRecords(dir))
  await writer.update(run)
  return run
}

interface PointsTask {
  readonly options: MeasureOptions
  readonly session: Session
  readonly plan: RunPlan
  readonly writer: RunWriter
  readonly header: RunHeader
  readonly timeInSystemS: number | undefined
}

async function measurePoints(task: PointsTask): Promise<readonly PointHeader[]> {
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
    const outcome = await measurePoint(task, points.length, concurrency, timeInSystemS)
    const { window, outputTokensPerSecond } = outcome
    if (outcome.ended === 0) break
    points.push({ load: { kind: 'concurrency', value: concurrency }, window })
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
  }
  if (answered === 0 && session.haltedBy() !== 'interrupted') {
    const error = fault === undefined ? SILENT : targetError(fault, task.plan.address.shown)
    session.tell({ kind: 'allFailed', error })
  }
  return points
}

function measurePoint(
  { options, session, plan, writer }: PointsTask,
  point: number,
  concurrency: number,
  timeInSystemS: number | undefined,
): Promise<PointOutcome> {
  const { found, inputTokens, outputTokens } = plan
  // Of each point its own, so that a seed repeats them however long the points before took.
  const prompts = createPrompts(`${plan.seed}/${point}`)
  const bodyOf = bodyMaker(found.dialect, outputTokens)
  let sent = 0
  return runPoint({
    plan: {
      concurrency,
      ...(options.requests !== undefined && { requests: options.requests }),
      ...(options.durationS !== undefined && { durationS: options.durationS }),
      staggerS: timeInSystemS ?? Math.min(LONGEST_BLIND_STAGGER_S, BLIND_STAGGER_S * concurrency),
    },
    send: session.client.send,
    nowS: session.clock.nowS,
    nextId: () => `${session.idPrefix}-${point}-${++sent}`,
    exchangeOf: (id) => ({
      id,
      point,
      body: bodyOf(prompts.next(found.words)),
      askedInputTokens: inputTokens,
      askedOutputTokens: outputTokens,
    }),
    onRecord: (record: RequestRecord) => writer.append(record),
    onProgress: (progress) => session.tell({ kind: 'point', concurrency, ...progress }),
    signal: session.signal,
    haltedBy: session.haltedBy,
  })
}
