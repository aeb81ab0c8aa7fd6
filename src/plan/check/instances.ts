import { figure, type PoolInstances } from '../../core/index.ts'
import type { SimulatedUnit } from '../candidate.ts'

/**
 * Split pools as one unit of so many instances of each kind. Each has a link of its own, so that as many prompts travel at once as there are
 * instances on the side that has fewer.
 */
export function withInstances(unit: SimulatedUnit, { prefill, decode }: PoolInstances): SimulatedUnit {
  const { pools, link } = unit
  return {
    ...unit,
    pools: pools.map((pool) => ({ ...pool, replicas: pool.role === 'prefill' ? prefill : decode })),
    ...(link !== undefined && { link: { ...link, concurrency: Math.min(prefill, decode) } }),
  }
}

/** `3 that read and 4 that answer`. */
export const instancesWords = ({ prefill, decode }: PoolInstances): string =>
  `${figure(prefill)} that read and ${figure(decode)} that answer`
