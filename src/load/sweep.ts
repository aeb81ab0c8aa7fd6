import { type Load, loadName, type PointHeader, type RequestFault, TwospeedError } from '../core/index.ts'
import { nextLoad, type Rung } from './ladder.ts'
import { createLoadSearch } from './load-search.ts'
import { askedLoads } from './loads.ts'
import { type MeasureTask, measurePoint } from './point/measure-point.ts'
import { nextRepeat, roundOf } from './rounds.ts'
import { targetError } from './target/target-fault.ts'

const SILENT = new TwospeedError(
  'NO_ANSWER',
  'No request was answered before the time limit.',
  'Look at the server, or give more with --time-limit.',
)

/** One load after another, until those asked for are done, more brings nothing, or the run is halted; each is in the header as soon as it ends. */
export async function measureLoads(task: MeasureTask): Promise<readonly PointHeader[]> {
  const { options, session, writer, header } = task
  const points: PointHeader[] = []
  const rungs: Rung[] = []
  const asked = askedLoads(options)
  const search = options.search === undefined ? undefined : createLoadSearch(header, writer)
  const measuring = search === undefined ? task : { ...task, writer: search.writer }
  const { repeat = 1 } = options
  let firstRound: readonly Load[] | undefined
  let timeInSystemS = task.timeInSystemS
  let answered = 0
  let fault: RequestFault | undefined
  while (!session.signal.aborted) {
    const next =
      firstRound === undefined
        ? (search?.next() ?? nextLoad(asked, rungs, options.requests))
        : nextRepeat(firstRound, repeat, points.length)
    if (next.kind === 'end') {
      if (next.why !== undefined) session.note(next.why)
      if (firstRound !== undefined) break
      firstRound = rungs.map(({ load }) => load)
      continue
    }
    const { load } = next
    const { outcome, point } = await measurePoint(measuring, points.length, load, timeInSystemS)
    if (outcome.ended === 0) break
    const { outputTokensPerSecond } = outcome
    const { window } = point
    points.push(repeat === 1 ? point : { ...point, repeat: roundOf(firstRound, points.length) })
    rungs.push({ load, outputTokensPerSecond })
    search?.measured(point)
    await writer.update({ ...header, points })
    session.tell({ kind: 'pointDone', load, outputTokensPerSecond, reasons: window.reasons })
    timeInSystemS = outcome.meanTimeInSystemS ?? timeInSystemS
    answered += outcome.answered
    fault = outcome.fault ?? fault
    // A search knows what to make of such a point, and never goes higher.
    if (search !== undefined) continue
    if (window.reasons.includes('errorShare')) {
      session.note(`stopped at ${loadName(load)}: over half of the last requests failed; no higher load is tried`)
      break
    }
    if (asked === undefined && point.generator?.saturated === true) {
      session.note(`stopped at ${loadName(load)}: this client is at its limit, so higher loads would measure it`)
      break
    }
  }
  if (answered === 0 && session.haltedBy() !== 'interrupted') {
    const error = fault === undefined ? SILENT : targetError(fault, task.plan.address.shown)
    session.tell({ kind: 'allFailed', error })
  }
  const failure = answered === 0 ? undefined : search?.failure()
  if (failure !== undefined) session.tell({ kind: 'notHeld', error: failure })
  return points
}
