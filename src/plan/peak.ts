import { type Day, figure, type Peak, percent } from '../core/index.ts'
import { isShortTrace } from './day/short-trace.ts'
import type { Demand } from './demand.ts'
import { rateOf } from './plan-words.ts'

/** Of the time no more are in flight than a fleet for the peak has room for. */
export const PEAK_SHARE = 0.99
/** The normal quantile of that share. */
const Z = 2.3263478740408408

/**
 * How many are in flight at most, for 99 hundredths of the time, where L are in the mean. Requests of people who do not know of each other
 * are a Poisson process, and where none waits for another those in flight have a Poisson distribution of mean L, whatever their lengths (M/G/∞). Its
 * quantile, by Cornish and Fisher's expansion, is within one of
 *
 *     L + z·√L + (z² − 1)/6
 *
 * of which the next whole number is taken, of users likewise. Bursts of one cause vary more.
 */
export const poissonPeak = (mean: number): number => Math.ceil(chancePeak(mean))

/** The same, not only whole: the more the longer they stay, and a second the fewer. */
export const chancePeak = (mean: number): number => mean + Z * Math.sqrt(mean) + (Z ** 2 - 1) / 6

/**
 * Of U users each is waiting for an answer with p = W / (W + Z), whatever the others do, where none waits for another: a binomial distribution of
 * mean U·p, and never more than all of them.
 *
 *     U·p + z·√(U·p·(1 − p)) + (1 − 2p)·(z² − 1)/6
 */
export function usersPeak(users: number, inFlight: number): number {
  // Of users who do not pause it is 1, but for rounding.
  const p = Math.min(1, inFlight / users)
  const most = inFlight + Z * Math.sqrt(inFlight * (1 - p)) + ((1 - 2 * p) * (Z ** 2 - 1)) / 6
  return Math.min(users, Math.max(inFlight, most))
}

/** What the user says, else what the day has, else what chance brings; `stayS` is how long a request stays. */
export function peakOf({ peakPerSecond, headroom, users }: Demand, inFlight: number, stayS: number, day?: Day): Peak {
  if (peakPerSecond !== undefined) {
    return { by: 'rate', inFlight: Math.max(inFlight, peakPerSecond * stayS), arrivalsPerSecond: peakPerSecond }
  }
  if (headroom !== undefined) return { by: 'headroom', inFlight: inFlight * (1 + headroom) }
  if (day !== undefined && !isShortTrace(day)) {
    return { by: 'day', inFlight: Math.max(inFlight, day.peakInFlight), share: PEAK_SHARE }
  }
  if (users !== undefined) {
    return {
      by: 'users',
      inFlight: Math.max(inFlight, Math.min(users, Math.ceil(usersPeak(users, inFlight)))),
      share: PEAK_SHARE,
    }
  }
  return { by: 'poisson', inFlight: Math.max(inFlight, poissonPeak(inFlight)), share: PEAK_SHARE }
}

/** What no more are in flight than, and for how much of the time. */
export function peakWords(peak: Peak, inFlight: number, day?: Day): string {
  const when = day?.by === 'curve' ? ' at its top' : ''
  return {
    poisson: `requests that come by chance (Poisson) are no more than ${figure(peak.inFlight)} in flight for ${percent(peak.share ?? 0)} of the time`,
    users: `of users who ask each at a time of their own (binomial) no more than ${figure(peak.inFlight)} are in flight for ${percent(peak.share ?? 0)} of the time`,
    headroom: `${figure(inFlight)} and ${percent(peak.inFlight / inFlight - 1)} more are ${figure(peak.inFlight)} in flight`,
    rate: `${rateOf(peak.arrivalsPerSecond ?? 0)} are ${figure(peak.inFlight)} in flight`,
    day: `the day has no more than ${figure(peak.inFlight)} in flight for ${percent(peak.share ?? 0)} of the time${when}`,
  }[peak.by]
}
