/** A load that was measured. Without `outputTokensPerSecond` nothing arrived inside its window. */
export interface Rung {
  readonly concurrency: number
  readonly outputTokensPerSecond: number
}

/** Doubling the load is worth while it brings at least this much more. */
const LEAST_GAIN = 0.03
const HIGHEST = 4096

export type NextLoad =
  | { readonly kind: 'load'; readonly concurrency: number }
  | { readonly kind: 'end'; readonly why?: string }

/** Which load comes after those measured: the next of those asked for, or twice the last until output stops growing. */
export function nextLoad(
  asked: readonly number[] | undefined,
  measured: readonly Rung[],
  highest: number = HIGHEST,
): NextLoad {
  if (asked !== undefined) {
    const concurrency = asked[measured.length]
    return concurrency === undefined ? { kind: 'end' } : { kind: 'load', concurrency }
  }
  const last = measured.at(-1)
  const before = measured.at(-2)
  if (last === undefined) return { kind: 'load', concurrency: 1 }
  const gain =
    before === undefined ? Number.POSITIVE_INFINITY : last.outputTokensPerSecond / before.outputTokensPerSecond - 1
  if (!(gain >= LEAST_GAIN)) {
    const change = Number.isFinite(gain) ? `${(100 * gain).toFixed(1)} % more` : 'no more'
    return {
      kind: 'end',
      why: `${last.concurrency} users got ${change} output than ${before?.concurrency}: higher loads bring under 3 %.`,
    }
  }
  const concurrency = 2 * last.concurrency
  if (concurrency > highest)
    return { kind: 'end', why: `${highest} is the highest load tried unless --concurrency asks for more.` }
  return { kind: 'load', concurrency }
}
