/** Values between those of a table. */

/** Straight between neighbours; beyond the ends as between the last two. `xs` ascending, at least two. */
export function betweenRows(xs: readonly number[], valueAt: (x: number) => number, x: number): number {
  let i = 1
  while (i < xs.length - 1 && (xs[i] as number) < x) i++
  const [below, above] = [xs[i - 1] as number, xs[i] as number]
  const low = valueAt(below)
  return low + ((valueAt(above) - low) * (x - below)) / (above - below)
}

/** A point of a sparse table in four dimensions, and what stands there. */
export interface Scattered {
  readonly at: readonly number[]
  readonly value: number
}

/** The mean of all points, each by its distance to the power of −6: the nearest ones say almost all. */
export function nearby(points: readonly Scattered[], at: readonly number[]): number {
  let [sum, weights] = [0, 0]
  for (const point of points) {
    let squared = 0.05
    for (let i = 0; i < at.length; i++) squared += ((point.at[i] ?? 0) - (at[i] ?? 0)) ** 2
    const weight = squared ** -3
    sum += weight * point.value
    weights += weight
  }
  return sum / weights
}
