import { arrivalsOf } from '../../core/index.ts'
import { checkSourceShape } from '../shape.ts'
import { createAsker } from './asker.ts'
import { checkPlan, countedRows } from './check.ts'
import { ClosedLoop } from './closed-loop.ts'
import { arrivalsOnCurve } from './daily-curve.ts'
import { OpenLoop } from './open-loop.ts'
import { PlayedTrace } from './played-trace.ts'
import type { Source } from './source.ts'
import type { ArrivalsPlan, SourcePlan } from './source-plan.ts'
import { createPauses } from './think.ts'
import { createIds } from './work.ts'

/** Without any idea of a request's time, so long lies between the starts of two users, as with `measure`. */
const BLIND_SPREAD_S = 0.01
const LONGEST_BLIND_SPREAD_S = 1

/**
 * Where the requests of a lane come from. Lanes that are given the same `nextId` do not share beginnings by accident.
 *
 * Throws INVALID_VALUE with everything that cannot be asked for; INVALID_WORK for rows of a trace whose lengths nobody told.
 */
export function createSource(plan: SourcePlan, nextId: () => number = createIds()): Source {
  checkSourceShape(plan)
  if (!('work' in plan)) {
    const { trace } = plan.arrivals
    return new PlayedTrace({ rows: countedRows(trace), blockTokens: trace.blockTokens, nextId })
  }
  checkPlan(plan)
  const { arrivals, work, think, seed } = plan
  const pauseS = createPauses(think, seed)
  const { turns = 1 } = work
  if (arrivals.kind === 'users') {
    const { users, spreadS = Math.min(LONGEST_BLIND_SPREAD_S, BLIND_SPREAD_S * users) } = arrivals
    // Users would all be at the same turn for long, so the first conversation of each is cut to another length.
    const asker = createAsker({ work, seed, nextId, firstTurns: (user, all) => 1 + (user % all) })
    return new ClosedLoop({ users, spreadS, asker, pauseS })
  }
  const asker = createAsker({ work, seed, nextId, firstTurns: (_, all) => all })
  const times = timesOf(arrivals, turns, `${seed}/arrivals`)
  return new OpenLoop({ times, asker, pauseS })
}

/** When conversations of so many turns begin. */
function timesOf(arrivals: Exclude<ArrivalsPlan, { kind: 'users' }>, turns: number, seed: string) {
  const { process } = arrivals
  if (arrivals.kind === 'rate') {
    const { rate, rampS } = arrivals
    return arrivalsOf({ process, rate: rate / turns, ...(rampS !== undefined && { rampS }), seed })
  }
  const points = arrivals.points.map(({ atS, rate }) => ({ atS, rate: rate / turns }))
  return arrivalsOnCurve({ points, process, seed })
}
