import type { Load } from '../core/index.ts'
import type { NextLoad } from './ladder.ts'

/** Which round the next point belongs to, counted from 0. */
export function roundOf(firstRound: readonly Load[] | undefined, measured: number): number {
  return firstRound === undefined ? 0 : Math.floor(measured / firstRound.length)
}

/**
 * Which load is measured again after so many points. Each load's repeats lie as far apart as the run is long, so that what drifts between
 * them shows as repeats that differ; back to back they would agree with each other and be wrong together.
 *
 *     1 2 4 8 | 1 2 4 8 | 1 2 4 8      the first round finds the loads, the others repeat them in its order
 */
export function nextRepeat(firstRound: readonly Load[], rounds: number, measured: number): NextLoad {
  const load = firstRound[measured % firstRound.length]
  return load === undefined || roundOf(firstRound, measured) >= rounds ? { kind: 'end' } : { kind: 'load', load }
}
