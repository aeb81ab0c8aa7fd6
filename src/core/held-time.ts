import type { Stream } from './stream.ts'

const ROLLING_US = 1_000_000

/** Stream time that was judged against a pace floor, and how much of it held the floor. */
export interface HeldTime {
  readonly judgedUs: number
  readonly heldUs: number
}

/**
 * For t from the first token + 1 s to the last, the time in which the rolling second (t − 1 s, t] held at least `floor` tokens.
 *
 *     tokens   | | | | |            | | | | |        arrival: the rolling second gains the event's tokens
 *     leave        | | | | |            | | | | |    1 s later: it loses them
 *     held     ....########______________######
 *
 * Between two such instants the count stands still, so a walk over both lists, each already in order, is exact. A stream shorter than one
 * second gives nothing to judge.
 */
export function heldTime(stream: Stream, floor: number, gapsUs: readonly number[] = stream.record.gapsUs): HeldTime {
  const { intervalUs, events, weight, scale } = stream
  // Counts of fractions of a token are compared with a hair of slack: 5 tokens spread as 50 × 0.1 hold a floor of 5.
  const enough = (floor / scale) * (1 - 1e-9)
  let heldUs = 0
  let inside = 0
  let arrived = 0
  let left = 0
  let arrivesUs = 0
  let leavesUs = ROLLING_US
  let atUs = 0
  while (atUs < intervalUs) {
    while (arrived < events && arrivesUs <= atUs) {
      inside += weight(arrived)
      arrivesUs += gapsUs[arrived] ?? 0
      arrived += 1
    }
    while (left < arrived && leavesUs <= atUs) {
      inside -= weight(left)
      leavesUs += gapsUs[left] ?? 0
      left += 1
    }
    const untilUs = Math.min(
      arrived < events ? arrivesUs : intervalUs,
      left < arrived ? leavesUs : intervalUs,
      intervalUs,
    )
    if (inside >= enough) heldUs += Math.max(0, untilUs - Math.max(atUs, ROLLING_US))
    atUs = untilUs
  }
  return { judgedUs: Math.max(0, intervalUs - ROLLING_US), heldUs }
}
