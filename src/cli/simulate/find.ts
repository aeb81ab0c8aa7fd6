/** What a load was seen to do. */
export type Verdict = 'holds' | 'misses'

/** The greatest load that holds, and the least that was seen not to. */
export interface Bracket {
  /** Absent: no load holds. */
  readonly held?: number
  /** Absent: the greatest load that is tried holds. */
  readonly missed?: number
}

export interface FindRange {
  /** Where the search begins. */
  readonly start: number
  readonly least: number
  readonly most: number
  /** Users are whole; rates are not. */
  readonly isWhole: boolean
}

/** The answer is known when it is enclosed so closely, relative to itself. */
export const FIND_PRECISION = 0.01

/**
 * The greatest load that holds, where what holds at a load holds below it. Doubles or halves until the answer is enclosed, then cuts the
 * bracket in the middle of its logarithm.
 *
 *     holds ── holds ────────── holds ┊ ── misses ─────────────── misses
 *       1        2                4   ┊      5 …                     8
 */
export function greatestLoad(judge: (load: number) => Verdict, range: FindRange): Bracket {
  const { start, least, most, isWhole } = range
  let held: number | undefined
  let missed: number | undefined
  for (let load = start; held === undefined || missed === undefined; ) {
    if (judge(load) === 'holds') {
      held = load
      if (load >= most) return { held }
      load = Math.min(most, 2 * load)
    } else {
      missed = load
      if (load <= least) return { missed }
      load = Math.max(least, isWhole ? Math.floor(load / 2) : load / 2)
    }
  }
  while (missed - held > (isWhole ? Math.max(1, FIND_PRECISION * held) : FIND_PRECISION * held)) {
    const middle: number = Math.sqrt(held * missed)
    const load: number = isWhole ? Math.min(missed - 1, Math.max(held + 1, Math.round(middle))) : middle
    if (judge(load) === 'holds') held = load
    else missed = load
  }
  return { held, missed }
}
