import type { CountedMetrics } from '../../core/index.ts'
import type { Segment } from '../engine/engine.ts'

/** Gaps of one piece of a segment that lie closer than this are counted as their mean. */
const WIDTH = 0.001

/**
 * The gaps between tokens that a piece of a segment makes, `streams` of each: they grow from step to step by the same amount, and are told
 * in groups that spread over 0.1 % at most, each by its mean, so that the mean of all is exact.
 */
export function countGaps(
  { firstS, growthS, from, steps }: Segment,
  streams: number,
  add: CountedMetrics['addGap'],
): void {
  const leastS = firstS + from * growthS
  const spread = (growthS * (steps - 1)) / leastS
  if (spread <= WIDTH) {
    add(micros(leastS + (growthS * (steps - 1)) / 2), steps * streams)
    return
  }
  const pieces = Math.min(steps, Math.ceil(spread / WIDTH))
  for (let piece = 0; piece < pieces; piece++) {
    const begin = Math.floor((piece * steps) / pieces)
    const end = Math.floor(((piece + 1) * steps) / pieces)
    add(micros(leastS + (growthS * (begin + end - 1)) / 2), (end - begin) * streams)
  }
}

/** Of whole nanoseconds: 16.24 ms are not 16.240000000000002. */
const micros = (s: number): number => Math.round(s * 1e9) / 1e3
