import type { Trial } from './trial.ts'

/**
 * The load at which the first token takes as long as is allowed. It is no straight line: flat while every request finds a place, then
 * rising with the queue.
 *
 * ```
 *  ms │                     ╱ ·  missed
 *     │                  · ╱        chord from the load that holds: too early where the curve bends upward
 *  ───┼───────────────┬─╱─────      secant through the two that miss, prolonged: too late there
 *     │    ___________╱·
 *     │  ·      · holds
 * ```
 *
 * Between the two lies the answer, so their middle is tried; with one load that misses, the secant's part is taken by that load. From a
 * load that just fills the server on, the wait is a queue's, which does grow in a straight line: the chord alone. Infinite where no wait
 * grows.
 */
export function loadAtLimit(trials: readonly Trial[], limitMs: number, isQueue: boolean): number {
  const timed = trials.flatMap(({ load, ttftMs, verdict }) =>
    ttftMs === undefined || verdict === 'void' ? [] : [{ load, ttftMs }],
  )
  const [first, second] = timed.filter(({ ttftMs }) => ttftMs > limitMs)
  const within = timed.filter(({ load, ttftMs }) => ttftMs <= limitMs && (first === undefined || load < first.load))
  const [before, last] = [within.at(-2), within.at(-1)]
  if (first === undefined) return before && last ? crossing(before, last, limitMs) : Number.POSITIVE_INFINITY
  if (last === undefined) return first.load
  const chord = crossing(last, first, limitMs)
  if (isQueue) return chord
  if (second === undefined) return Math.sqrt(chord * first.load)
  return (chord + Math.min(first.load, Math.max(last.load, crossing(first, second, limitMs)))) / 2
}

interface Timed {
  readonly load: number
  readonly ttftMs: number
}

/** Where the straight line through two loads takes so long. */
function crossing(one: Timed, other: Timed, limitMs: number): number {
  const rise = other.ttftMs - one.ttftMs
  return rise > 0 ? one.load + ((limitMs - one.ttftMs) / rise) * (other.load - one.load) : Number.POSITIVE_INFINITY
}
