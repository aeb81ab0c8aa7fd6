export interface Minimum {
  readonly at: readonly number[]
  readonly value: number
}

/**
 * The least value of a function of a few variables that has no gradient and small steps in it, as outcomes of a simulation have: the
 * simplex of Nelder and Mead (1965) with their own coefficients, which compares values and never divides by their differences.
 */
export function minimise(
  cost: (at: readonly number[]) => number,
  start: readonly number[],
  size: readonly number[],
  evaluations: number,
): Minimum {
  let left = evaluations
  const tried = (at: readonly number[]): Minimum => {
    left--
    return { at, value: cost(at) }
  }
  let corners = [start, ...start.map((_, i) => start.map((x, k) => (i === k ? x + (size[k] ?? 0) : x)))].map(tried)
  for (;;) {
    corners.sort((a, b) => a.value - b.value)
    const [best, worst] = [corners[0], corners.at(-1)] as [Minimum, Minimum]
    if (left <= 0) return best
    const others = corners.slice(0, -1)
    const second = (others.at(-1) as Minimum).value
    const centre = start.map((_, k) => others.reduce((sum, { at }) => sum + (at[k] ?? 0), 0) / others.length)
    /** On the line from the centre to the worst corner: 1 is that corner, −1 its reflection. */
    const along = (share: number): Minimum => tried(centre.map((x, k) => x + share * ((worst.at[k] ?? 0) - x)))
    const reflected = along(-1)
    if (reflected.value < best.value) {
      const further = along(-2)
      corners = [...others, further.value < reflected.value ? further : reflected]
    } else if (reflected.value < second) corners = [...others, reflected]
    else {
      const nearer = along(reflected.value < worst.value ? -0.5 : 0.5)
      if (nearer.value < Math.min(reflected.value, worst.value)) corners = [...others, nearer]
      else corners = [best, ...corners.slice(1).map(({ at }) => tried(at.map((x, k) => (x + (best.at[k] ?? 0)) / 2)))]
    }
  }
}
