import { expect, it } from 'vitest'
import { PEAK_SHARE, poissonPeak, usersPeak } from '../../src/plan/peak.ts'

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

/** P(X ≤ most) of so many users, each waiting with probability p, term after term. */
function chanceOfUsers(users: number, p: number, most: number): number {
  let [sum, log] = [0, users * Math.log1p(-p)]
  for (let k = 0; k <= most && k <= users; log += Math.log(((users - k) / (k + 1)) * (p / (1 - p))), k++) {
    sum += Math.exp(log)
  }
  return sum
}

it.each([
  [2, 0.5],
  [60, 0.3],
  [60, 0.9],
  [1000, 0.82],
  [5000, 0.25],
])(
  'of %d users who wait %d of the time no more are in flight for 99 %% of it, and two fewer would be too few',
  (users, p) => {
    const peak = Math.ceil(usersPeak(users, users * p))
    expect(peak).toBeLessThanOrEqual(users)
    expect(chanceOfUsers(users, p, peak)).toBeGreaterThanOrEqual(PEAK_SHARE - 2e-3)
    expect(chanceOfUsers(users, p, peak - 2)).toBeLessThan(PEAK_SHARE)
  },
)

it('of users who ask at once, all are in flight', () => {
  expect(usersPeak(60, 60)).toBe(60)
  // λ·W of them, rounded up.
  expect(usersPeak(1000, 1000.0000000000001)).toBe(1000)
})
