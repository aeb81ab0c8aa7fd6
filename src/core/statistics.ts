/**
 * Percentile `p` (0 to 100) of an ascending sample, linear between closest ranks: rank = p/100 · (n − 1), definition 7 of Hyndman and
 * Fan, "Sample quantiles in statistical packages" (1996). Undefined when there is no sample.
 */
export function percentile(sorted: ArrayLike<number>, p: number): number | undefined {
  return betweenRanks((p * (sorted.length - 1)) / 100, (rank) => sorted[rank])
}

/** Arithmetic mean; undefined when there is no sample. */
export function mean(values: ArrayLike<number>): number | undefined {
  if (values.length === 0) return undefined
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0
  return sum / values.length
}

/** The value at a fractional rank, given the value at each whole one. */
export function betweenRanks(rank: number, at: (rank: number) => number | undefined): number | undefined {
  const below = Math.floor(rank)
  const low = at(below)
  if (low === undefined || below === rank) return low
  const high = at(below + 1) ?? low
  return low + (high - low) * (rank - below)
}
