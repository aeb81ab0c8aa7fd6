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
 * of which the next whole number is taken. Users who think are fewer and so vary less; bursts of one cause vary more.
 */
export function poissonPeak(mean: number): number {
  return Math.ceil(mean + Z * Math.sqrt(mean) + (Z ** 2 - 1) / 6)
}

/** What the user says, else what the day has, else what chance brings; `stayS` is how long a request stays. */
export function peakOf({ peakPerSecond, headroom }: Demand, inFlight: number, stayS: number, day?: Day): Peak {
  if (peakPerSecond !== undefined) {
    return { by: 'rate', inFlight: Math.max(inFlight, peakPerSecond * stayS), arrivalsPerSecond: peakPerSecond }
  }
  if (headroom !== undefined) return { by: 'headroom', inFlight: inFlight * (1 + headroom) }
  if (day !== undefined && !isShortTrace(day)) {
    return { by: 'day', inFlight: Math.max(inFlight, day.peakInFlight), share: PEAK_SHARE }
  }
  return { by: 'poisson', inFlight: Math.max(inFlight, poissonPeak(inFlight)), share: PEAK_SHARE }
}

/** What no more are in flight than, and for how much of the time. */
export function peakWords(peak: Peak, inFlight: number, day?: Day): string {
  const when = day?.by === 'curve' ? ' at its top' : ''
  return {
    poisson: `requests that come by chance (Poisson) are no more than ${figure(peak.inFlight)} in flight for ${percent(peak.share ?? 0)} of the time`,
    headroom: `${figure(inFlight)} and ${percent(peak.inFlight / inFlight - 1)} more are ${figure(peak.inFlight)} in flight`,
    rate: `${rateOf(peak.arrivalsPerSecond ?? 0)} are ${figure(peak.inFlight)} in flight`,
    day: `the day has no more than ${figure(peak.inFlight)} in flight for ${percent(peak.share ?? 0)} of the time${when}`,
  }[peak.by]
}
