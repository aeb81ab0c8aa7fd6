import type { Fleet } from '../../sim/index.ts'
import type { SimulatedUnit } from '../candidate.ts'

/** So many units as one fleet: a request goes to where fewest are in flight. Split pools are joined by the links of all. */
export function fleetOf({ pools, link, entrySeconds }: SimulatedUnit, units: number): Fleet {
  return {
    routing: 'leastInFlight',
    pools: pools.map((pool) => ({ ...pool, replicas: pool.replicas * units })),
    ...(link !== undefined && { link: { ...link, concurrency: link.concurrency * units } }),
    ...(entrySeconds !== undefined && { entrySeconds }),
  }
}

/** Absent while they are not known of every pool. */
export function gpusOfUnit({ pools }: SimulatedUnit): number | undefined {
  let gpus = 0
  for (const { replicas, gpusPerReplica } of pools) {
    if (gpusPerReplica === undefined) return undefined
    gpus += replicas * gpusPerReplica
  }
  return gpus
}
