import type { Day, Peak, ReplicaLoad } from '../../core/index.ts'
import type { SplitLoad } from '../../model/index.ts'
import { dayOf } from '../day/index.ts'
import type { demandOf } from '../demand.ts'
import { chancePeak, peakOf, usersPeak } from '../peak.ts'

/** What comes, where requests stay as long as they do at the most that an instance may hold. */
export interface SplitStay {
  readonly arrivalsPerSecond: number
  readonly timeInSystemS: number
  readonly inFlight: number
  readonly peak: Peak
  readonly day?: Day
}

/**
 * Little's law of one kind of instance: W = TTFT + N/pace at the most that it holds, λ = U/(W + Z) of users, L = λ·W, and of the peak as many
 * requests a second as have so many in flight, λ_peak = L_peak/W.
 */
export function splitStay(load: SplitLoad, demand: ReturnType<typeof demandOf>): SplitStay {
  const { users = 0, thinkS = 0, day: source, startupS, outputTokens, gpuHour } = demand
  const chosen = loadOf(load, load.requestsPerSecond, outputTokens)
  const { timeInSystemS } = chosen
  const arrivalsPerSecond = demand.arrivalsPerSecond ?? users / (timeInSystemS + thinkS)
  const inFlight = arrivalsPerSecond * timeInSystemS
  const day =
    source &&
    dayOf(
      source,
      { chosen, ...(gpuHour !== undefined && { gpuHour }) },
      { outputTokens, ...(startupS !== undefined && { startupS }) },
    )
  const found = peakOf(demand, inFlight, timeInSystemS, day)
  // Not only whole: what rounds up takes more a second where they stay for less.
  const byChance = found.by === 'users' ? usersPeak(users, inFlight) : chancePeak(inFlight)
  const isChance = found.by === 'users' || found.by === 'poisson'
  const peak = isChance ? { ...found, inFlight: Math.max(inFlight, byChance) } : found
  return { arrivalsPerSecond, timeInSystemS, inFlight, peak, ...(day !== undefined && { day }) }
}

/** Of one instance that answers, with its share of what is on its way there. */
export function loadOf(load: SplitLoad, requestsPerSecond: number, outputTokens: number): ReplicaLoad {
  const { ttftMs, tokensPerSecondPerUser } = load
  const timeInSystemS = ttftMs / 1000 + outputTokens / tokensPerSecondPerUser
  return {
    inFlight: requestsPerSecond * timeInSystemS,
    requestsPerSecond,
    timeInSystemS,
    tokensPerSecondPerUser,
    outputTokensPerSecond: requestsPerSecond * outputTokens,
    ttftMs,
    source: 'extrapolated',
  }
}
