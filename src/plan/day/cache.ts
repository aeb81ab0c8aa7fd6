import type { CacheEffect, Product, Trace } from '../../core/index.ts'
import type { SimulatedUnit } from '../candidate.ts'

export interface CachedFleet {
  /** Of one replica. */
  readonly unit: SimulatedUnit
  readonly replicas: number
  /** Of one replica. */
  readonly gpus?: number
}

/**
 * Plays a trace on a fleet: without a cache of beginnings, with one and requests in turn, and with each request sent to where most of its
 * beginning is. Undefined where the trace says nothing of how prompts begin.
 */
export function cacheOf(_trace: Trace, _fleet: CachedFleet, _product: Product): CacheEffect | undefined {
  return undefined
}
