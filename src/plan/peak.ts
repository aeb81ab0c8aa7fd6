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
