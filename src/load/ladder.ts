import type { Load } from '../core/index.ts'
import { HIGHEST_LOAD } from '../model/index.ts'

/** A load that was measured. Without `outputTokensPerSecond` nothing arrived inside its window. */
export interface Rung {
  readonly load: Load
  readonly outputTokensPerSecond: number
}

/** Doubling the load is worth while it brings at least this much more. */
const LEAST_GAIN = 0.03

export type NextLoad = { readonly kind: 'load'; readonly load: Load } | { readonly kind: 'end'; readonly why?: string }

/** Which load comes after those measured: the next of those asked for, or twice as many users as the last until output stops growing. */
export function nextLoad(
  asked: readonly Load[] | undefined,
  measured: readonly Rung[],
  highest: number = HIGHEST_LOAD,
): NextLoad {
  if (asked !== undefined) {
    const load = asked[measured.length]
    return load === undefined ? { kind: 'end' } : { kind: 'load', load }
  }
  const last = measured.at(-1)
  const before = measured.at(-2)
  if (last === undefined) return { kind: 'load', load: users(1) }
  const gain =
    before === undefined ? Number.POSITIVE_INFINITY : last.outputTokensPerSecond / before.outputTokensPerSecond - 1
  if (!(gain >= LEAST_GAIN)) {
    const change = Number.isFinite(gain) ? `${(100 * gain).toFixed(1)} % more` : 'no more'
    return {
      kind: 'end',
      why: `${last.load.value} users got ${change} output than ${before?.load.value}: higher loads bring under 3 %.`,
    }
  }
  const next = 2 * last.load.value
  if (next > highest)
    return { kind: 'end', why: `${highest} is the highest load tried unless --concurrency asks for more.` }
  return { kind: 'load', load: users(next) }
}

const users = (value: number): Load => ({ kind: 'concurrency', value })
