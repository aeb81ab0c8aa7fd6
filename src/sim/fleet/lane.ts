import type { Source } from '../arrivals/source.ts'

/** A stream of requests of one kind, and where they may go. */
export interface Lane {
  readonly name: string
  readonly source: Source
  /** Lower goes first, where a pool's policy admits by priority. */
  readonly priority: number
  /** Names of the pools that serve it; absent: all. */
  readonly pools?: readonly string[]
}

export function serves({ pools }: Lane, pool: string): boolean {
  return pools === undefined || pools.includes(pool)
}
