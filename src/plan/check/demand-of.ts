import type { Plan } from '../../core/index.ts'

/** What comes to a fleet: at a rate, or from users who pause between an answer and the next question. */
export interface ComingRequests {
  readonly arrivalsPerSecond: number
  readonly users?: number
  readonly thinkS?: number
  /** By the arithmetic: how long a request stays, and how many are in flight. */
  readonly stayS: number
  readonly inFlight: number
}

/** In the mean. Undefined of a batch. */
export function meanOf(plan: Plan): ComingRequests | undefined {
  const { arrivalsPerSecond, timeInSystemS, inFlight, users, thinkS } = plan
  if (arrivalsPerSecond === undefined || timeInSystemS === undefined || inFlight === undefined) return undefined
  return {
    arrivalsPerSecond,
    stayS: timeInSystemS,
    inFlight,
    ...(users !== undefined && { users, thinkS: thinkS ?? 0 }),
  }
}

/**
 * What the peak is for, over the mean: the rate or the headroom that was asked for, the top of a day. More that come by chance are no other
 * mean: the simulation has them anyway.
 */
export function peakOverMean({ peak, arrivalsPerSecond = 0, inFlight = 0, day }: Plan): number {
  if (peak === undefined || peak.by === 'poisson' || peak.by === 'users') return 1
  if (peak.by === 'rate') return Math.max(1, (peak.arrivalsPerSecond ?? 0) / arrivalsPerSecond)
  if (peak.by === 'day' && day?.by === 'curve') return Math.max(1, day.mostArrivalsPerSecond / arrivalsPerSecond)
  return Math.max(1, peak.inFlight / inFlight)
}

/** So many times as many. */
export function times(coming: ComingRequests, factor: number): ComingRequests {
  const { arrivalsPerSecond, inFlight, users } = coming
  return {
    ...coming,
    arrivalsPerSecond: factor * arrivalsPerSecond,
    inFlight: factor * inFlight,
    ...(users !== undefined && { users: factor * users }),
  }
}
