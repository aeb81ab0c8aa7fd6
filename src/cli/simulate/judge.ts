import type { Objectives, Point } from '../../core/index.ts'
import { trialsOf } from '../../model/index.ts'
import type { Verdict } from './find.ts'
import type { SimulationPlan } from './plan.ts'

/** What a search is to hold. */
export interface Asked {
  /** Of all requests together. */
  readonly objectives?: Objectives
  /** Of the requests that must get all of it; absent: the typical one. */
  readonly share?: number
}

export interface Judged {
  readonly verdict: Verdict
  readonly missed?: 'floor' | 'ttft' | 'failures' | 'serverLimit'
}

/**
 * A point's verdict, by the rules of a search of `measure`: of all requests by the run's objectives, and of each lane by its own. A rate that
 * is not kept up with misses whatever the pace.
 */
export function judgePoint(point: Point, { hardware, lanes }: SimulationPlan, { objectives, share }: Asked): Judged {
  if (isOverloaded(point)) return { verdict: 'misses', missed: 'serverLimit' }
  const ofLanes = lanes.flatMap(({ name, objectives: own }) => {
    const lane = lanes.length === 1 ? undefined : point.simulation?.lanes?.find((each) => each.name === name)
    return own === undefined ? [] : [[lane === undefined ? point : { ...point, ...lane }, own] as const]
  })
  const all = objectives === undefined ? ofLanes : [[point, objectives] as const, ...ofLanes]
  for (const [seen, { tokensPerSecond: floor, ttftMs }] of all) {
    const [trial] = trialsOf([seen], hardware, {
      ...(floor !== undefined && { floor }),
      ...(ttftMs !== undefined && { ttftMs }),
      ...(share !== undefined && { share }),
    })
    if (trial !== undefined && trial.verdict !== 'holds') return { verdict: 'misses', missed: trial.missed ?? 'floor' }
  }
  return { verdict: 'holds' }
}

/** Of what comes while one looks, the share that may stay: with less a queue that grows cannot be told from chance. */
const MOST_LEFT = 0.03
/** What is in flight scatters by less than its mean; a queue that grows from the start grows by twice its mean. */
const MOST_GROWTH = 0.8

function isOverloaded({ load, littlesLaw, window, requests }: Point): boolean {
  if (load.kind !== 'rate') return false
  const growth = requests.sent - littlesLaw.completionsPerSecond * (window.endS - window.startS)
  const grew = growth > MOST_LEFT * requests.sent && growth > MOST_GROWTH * littlesLaw.inFlight
  return grew || window.reasons.includes('overloaded')
}
