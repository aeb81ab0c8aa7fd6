import {
  type Generator,
  type Load,
  loadName,
  type PointHeader,
  type RequestRecord,
  type RunHeader,
  type Window,
} from '../../core/index.ts'
import type { RunWriter } from '../../store/index.ts'
import type { RunPlan } from '../header.ts'
import type { MeasureOptions } from '../options.ts'
import type { Session } from '../session.ts'
import { createWork, heardBy } from '../work/work.ts'
import { createHealth } from './health.ts'
import type { ScheduleFault } from './loop.ts'
import { loopOf } from './point-loop.ts'
import { type PointOutcome, runPoint } from './point-runner.ts'

/** What the loads of a run have in common. */
export interface MeasureTask {
  readonly options: MeasureOptions
  readonly session: Session
  readonly plan: RunPlan
  readonly writer: RunWriter
  readonly header: RunHeader
  readonly timeInSystemS: number | undefined
}

/** One load, from its first request to the end of its last, with what the generator says of itself. */
export async function measurePoint(
  { options, session, plan, writer }: MeasureTask,
  index: number,
  load: Load,
  timeInSystemS: number | undefined,
): Promise<{ readonly outcome: PointOutcome; readonly point: PointHeader }> {
  // Of each point its own, so that a seed repeats it however long the points before took.
  const seed = `${plan.seed}/${index}`
  const work = createWork(plan, seed)
  const health = createHealth(session.clock, session.client)
  const loop = loopOf({ options, plan, load, seed, timeInSystemS, beganS: session.clock.nowS() })
  const { think } = options
  const told = { ...load, ...(think !== undefined && { thinkS: think.meanS }) }
  let generator: Generator | undefined
  let sent = 0
  health.begin()
  const outcome = await runPoint({
    loop,
    point: index,
    send: heardBy(work, session.client.send),
    nowS: session.clock.nowS,
    nextId: () => `${session.idPrefix}-${index}-${++sent}`,
    ask: work.next,
    onRecord: (record: RequestRecord) => writer.append(record),
    onWindow: (edge) => {
      if (edge === 'anew') {
        session.note(`the speed changed while ${loadName(load)} was measured: its window is begun anew`)
      }
      if (edge !== 'close') {
        health.begin()
        writer.windowOpened(told, loop.fromS() ?? session.clock.nowS())
      } else generator = health.end()
    },
    onProgress: (progress) => session.tell({ kind: 'point', load, ...progress }),
    signal: session.signal,
    haltedBy: session.haltedBy,
  })
  generator = withSchedule(generator, loop.scheduleFault())
  return {
    outcome,
    point: {
      load: told,
      window: judged(outcome.window, generator),
      ...(generator && { generator }),
    },
  }
}

/** A client that could not keep its schedule was at its limit; one that was not allowed to says so. */
function withSchedule(generator: Generator | undefined, fault: ScheduleFault | undefined): Generator | undefined {
  if (fault === undefined) return generator
  const { saturated = false, why = [] } = generator ?? {}
  return { ...generator, saturated: saturated || fault.saturated, why: [...why, fault.why] }
}

/** A slow client must never look like a fast server. */
function judged(window: Window, generator: Generator | undefined): Window {
  if (generator?.saturated !== true) return window
  return { ...window, steady: false, reasons: [...window.reasons, 'generatorSaturated'] }
}
