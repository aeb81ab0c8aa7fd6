/** Work that goes on from one instant of a day to another, at so much a second. */
export interface Stretch {
  readonly startS: number
  readonly endS: number
  readonly replicas: number
}

/**
 * How long each replica is free at a time, where so many are free in each piece of a day that comes again and again:
 *
 *     free │   ┌──┐           each bar is a stretch; one that is free all day long has no end
 *        2 │   ├──┤  ┌──┐
 *        1 │ ┌─┴──┴──┴──┴─┐
 *          └─────────────── piece
 *
 * Stretches may reach over the end of the day.
 */
export function stretchesOf(free: readonly number[], pieceS: number): readonly Stretch[] {
  const count = free.length
  const least = Math.min(...free)
  // From where fewest are free, so that every other stretch ends within one round.
  const from = free.indexOf(least)
  const done: Stretch[] = least > 0 ? [{ startS: 0, endS: Number.POSITIVE_INFINITY, replicas: least }] : []
  const open: { readonly start: number; replicas: number }[] = []
  let level = least
  for (let step = 1; step <= count; step++) {
    const now = step === count ? least : (free[(from + step) % count] ?? least)
    if (now > level) open.push({ start: from + step, replicas: now - level })
    for (let over = level - now; over > 0; ) {
      const last = open.at(-1)
      if (last === undefined) break
      const ended = Math.min(over, last.replicas)
      done.push({ startS: last.start * pieceS, endS: (from + step) * pieceS, replicas: ended })
      last.replicas -= ended
      if (last.replicas === 0) open.pop()
      over -= ended
    }
    level = now
  }
  return done
}
