import { figure } from '../core/index.ts'
import type { LoadPoint } from './points.ts'

/** Beyond what is written in as many digits as it has. */
const ROUNDING = 0.01
/** A measurement that is repeated differs by a fifth one time in ten; what rises by more is no scatter. */
const RISES = 1.25

/**
 * What points say that cannot be so of one server, whatever it is, a sentence each: more tok/s than all in flight have together, more in
 * flight that run faster each, and repeats of a load that are not alike. Points that are not the server's own doing are not looked at. `outputTokens`: of an answer, where that is known.
 */
export function contradictionsIn(points: readonly LoadPoint[], outputTokens?: number): readonly string[] {
  return [...excessesIn(points, outputTokens), ...riseIn(points), ...partedIn(points)]
}

/**
 * With L in flight at a pace of u each
 *
 *     X ≤ L·u
 *
 * for whoever waits gets none. Only of an answer's N tokens the first waits for no step of decoding: where it comes within less than one, r of
 * it, a request takes (N − 1 + r)/u, and X is up to L·u·N/(N − 1 + r).
 */
export const excessesIn = (points: readonly LoadPoint[], outputTokens = 2): readonly string[] =>
  soundOf(points).flatMap(({ load, stepS, outputTokensPerSecond: output, ttftMs }) => {
    const pace = Number((1 / stepS).toPrecision(12))
    const wait = ttftMs === undefined ? 1 : Math.min(1, ttftMs / 1000 / stepS)
    const most = (load * pace * outputTokens) / (outputTokens - 1 + wait)
    if (output <= most * (1 + ROUNDING + halfDigit(pace) + halfDigit(output))) return []
    return [
      `at ${figure(load)} in flight ${figure(output)} tok/s are more than ${figure(load)} × ${figure(pace)} tok/s/user = ${figure(load * pace)}`,
    ]
  })

/** Half of the last digit that is written, as a share. */
function halfDigit(value: number): number {
  const [, decimals = ''] = String(value).split('.')
  return 0.5 / 10 ** decimals.length / value
}

const soundOf = (points: readonly LoadPoint[]): readonly LoadPoint[] =>
  points.filter(({ fault }) => fault === undefined)

/** Repeats of one load. */
function partedIn(points: readonly LoadPoint[]): readonly string[] {
  return soundOf(points).flatMap(({ load, repeatsS: [least, most] = [1, 1] }) =>
    most <= RISES * least
      ? []
      : [`repeats at ${figure(load)} in flight have ${figure(1 / most)} to ${figure(1 / least)} tok/s/user`],
  )
}

/** The greatest of all rises, from a lesser load to any greater one. */
function riseIn(points: readonly LoadPoint[]): readonly string[] {
  const [first, ...others] = soundOf(points)
  if (first === undefined) return []
  let [slowest, low, high] = [first, first, first]
  for (const point of others) {
    if (slowest.stepS / point.stepS > low.stepS / high.stepS) [low, high] = [slowest, point]
    if (point.stepS > slowest.stepS) slowest = point
  }
  if (low.stepS <= RISES * high.stepS) return []
  return [
    `pace rises with load, from ${figure(1 / low.stepS)} tok/s/user at ${figure(low.load)} in flight to ${figure(1 / high.stepS)} at ${figure(high.load)}`,
  ]
}
