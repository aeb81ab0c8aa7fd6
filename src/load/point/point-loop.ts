import { arrivalsOf, createRandom, exponential, type Load } from '../../core/index.ts'
import type { RunPlan } from '../header.ts'
import { MOST_IN_FLIGHT, processOf } from '../loads.ts'
import type { MeasureOptions } from '../options.ts'
import { createClosedLoop } from './closed-loop.ts'
import type { Loop } from './loop.ts'
import { createOpenLoop } from './open-loop.ts'

/** Without any idea of a request's time, so long lies between the starts of two users. */
const BLIND_STAGGER_S = 0.01
const LONGEST_BLIND_STAGGER_S = 1

export interface PointLoopTask {
  readonly options: MeasureOptions
  readonly plan: RunPlan
  readonly load: Load
  /** Of this point, so that a seed repeats it however long the points before took. */
  readonly seed: string
  /** Of a request, as far as it is known. */
  readonly timeInSystemS: number | undefined
  readonly beganS: number
}

/** The policy of one point, as its load is of users, of a rate or of a trace. */
export function loopOf({ options, plan, load, seed, timeInSystemS, beganS }: PointLoopTask): Loop {
  const { requests, durationS, rampS } = options
  const common = {
    ...(requests !== undefined && { requests }),
    ...(durationS !== undefined && { durationS }),
    ...(rampS !== undefined && { rampS }),
  }
  if (load.kind === 'concurrency') {
    const think = thinkOf(options, `${seed}/think`)
    const staggerS = timeInSystemS ?? Math.min(LONGEST_BLIND_STAGGER_S, BLIND_STAGGER_S * load.value)
    return createClosedLoop({ concurrency: load.value, staggerS, ...(think && { think }), ...common }, beganS)
  }
  const maxInFlight = options.maxInFlight ?? MOST_IN_FLIGHT
  if (load.kind === 'rate') {
    const arrivals = arrivalsOf({
      process: processOf(options),
      rate: load.value,
      ...(rampS !== undefined && { rampS }),
      seed: `${seed}/arrivals`,
    })
    return createOpenLoop({ arrivals, rate: load.value, maxInFlight, ...common }, beganS)
  }
  const due = (plan.source.kind === 'trace' ? plan.source.trace.rows : []).filter(
    ({ atS }) => durationS === undefined || atS < durationS,
  )
  const rows = due.slice(0, requests)
  const lastS = rows.at(-1)?.atS ?? 0
  return createOpenLoop(
    {
      arrivals: rows.map(({ atS }) => atS).values(),
      rate: rows.length / Math.max(1, lastS),
      requests: rows.length,
      maxInFlight,
      isTrace: true,
    },
    beganS,
  )
}

function thinkOf({ think }: MeasureOptions, seed: string) {
  if (think === undefined) return undefined
  const { meanS, distribution = 'constant' } = think
  const random = createRandom(seed)
  return { meanS, nextS: () => (distribution === 'constant' ? meanS : meanS * exponential(random)) }
}
