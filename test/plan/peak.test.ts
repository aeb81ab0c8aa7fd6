import { expect, it } from 'vitest'
import { PEAK_SHARE, poissonPeak } from '../../src/plan/peak.ts'

/** P(X ≤ most) of a Poisson number, term after term from the likeliest. */
function chance(mean: number, most: number): number {
  const logs: number[] = []
  for (let k = 0, log = -mean; k <= most; log += Math.log(mean / ++k)) logs.push(log)
  return logs.reduce((sum, log) => sum + Math.exp(log), 0)
}

it.each([0.01, 0.1, 0.5, 1, 2, 3.3, 10, 30, 77.7, 250, 1000, 10_000])(
  'of a mean of %d no more are in flight for 99 %% of the time, and two fewer would be too few',
  (mean) => {
    const peak = poissonPeak(mean)
    expect(chance(mean, peak)).toBeGreaterThanOrEqual(PEAK_SHARE)
    expect(chance(mean, peak - 2)).toBeLessThan(PEAK_SHARE)
  },
)
