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

/** A verdict that a longer look may change: all is held but that the queue grows, and not by much. */
export interface Seen extends Judged {
  readonly isNear?: true
}

/**
 * A point's verdict, by the rules of a search of `measure`: of all requests by the run's objectives, and of each lane by its own. A rate that
 * is not kept up with misses whatever the pace.
 */
export function judgePoint(point: Point, { hardware, lanes }: SimulationPlan, { objectives, share }: Asked): Seen {
  const missed = missedOf(point, { hardware, lanes }, { objectives, share })
  const growth = growthOf(point)
  if (growth > 0) {
    const isNear = missed === undefined && growth < CLEAR_GROWTH * point.requests.sent
    return { verdict: 'misses', missed: 'serverLimit', ...(isNear && { isNear }) }
  }
  return missed === undefined ? { verdict: 'holds' } : { verdict: 'misses', missed }
}

function missedOf(
  point: Point,
  { hardware, lanes }: Pick<SimulationPlan, 'hardware' | 'lanes'>,
  { objectives, share }: { readonly [K in keyof Asked]: Asked[K] | undefined },
): Judged['missed'] {
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
    if (trial !== undefined && trial.verdict !== 'holds') return trial.missed ?? 'floor'
  }
  return undefined
}

/** Of what comes while one looks, the share that may stay: with less a queue that grows cannot be told from chance. */
export const MOST_LEFT = 0.03
/** What is in flight scatters by less than its mean; a queue that grows from the start grows by twice its mean. */
const MOST_GROWTH = 0.8

/** At twice what a server can, half of what comes stays. */
const CLEAR_GROWTH = 0.25

/** By how many requests a queue grew that is not kept up with; 0 where it is. */
function growthOf({ load, littlesLaw, window, requests }: Point): number {
  if (load.kind !== 'rate') return 0
  const growth = requests.sent - littlesLaw.completionsPerSecond * (window.endS - window.startS)
  const grew = growth > MOST_LEFT * requests.sent && growth > MOST_GROWTH * littlesLaw.inFlight
  return grew || window.reasons.includes('overloaded') ? Math.max(1, growth) : 0
}
