import type { Fleet, Pool } from '../../sim/index.ts'
import type { SimulatedUnit } from '../candidate.ts'

/** What is simulated in place of a fleet. */
export interface SimulatedFleet {
  readonly fleet: Fleet
  /** Of the whole. 1: it is the whole. */
  readonly part: number
  /** Engines, and those of the whole: of copies of attention each is one. Of split pools those that answer. */
  readonly engines: number
  readonly ofEngines: number
}

/** So many units as one fleet: a request goes to where fewest are in flight. Split pools are joined by the links of all. */
export function fleetOf({ pools, link, entrySeconds }: SimulatedUnit, units: number): Fleet {
  return {
    routing: 'leastInFlight',
    pools: pools.map((pool) => ({ ...pool, replicas: Math.max(1, Math.round(pool.replicas * units)) })),
    ...(link !== undefined && { link: { ...link, concurrency: Math.max(1, Math.round(link.concurrency * units)) } }),
    ...(entrySeconds !== undefined && { entrySeconds }),
  }
}

/** Of split pools a slice may be so many times as large, or so much smaller, that engines come whole and go together to this. */
const TIMES = { least: 0.6, most: 4 } as const
const LOST = 0.02

/**
 * About so large a part of a fleet of so many units, in whole engines. Of split pools as many read as leave those that answer
 * their share of
 * them, or fewer:
 *
 *     4,068 read, 1,478 answer      ·2.75      11 and 4 of them, not 8 and 3
 */
export function partOf(unit: SimulatedUnit, units: number, part: number): SimulatedFleet {
  const enginesOf = ({ replicas, dataParallel }: Pool): number => units * replicas * dataParallel
  const [reading, answering] = [unit.pools.find(({ role }) => role === 'prefill'), unit.pools.at(-1)]
  const all = answering === undefined ? 1 : enginesOf(answering)
  if (part >= 1) return { fleet: fleetOf(unit, units), part: 1, engines: all, ofEngines: all }
  const most = Math.max(1, Math.floor(part * all))
  const ratio = reading === undefined ? 1 : enginesOf(reading) / all
  const engines = reading === undefined ? most : matching(most, all, ratio)
  const whole = fleetOf(unit, engines / all)
  const pools = unit.pools.map((pool) => ({
    ...pool,
    replicas: pool === reading ? Math.max(1, Math.floor(engines * ratio + 1e-9)) : engines,
    dataParallel: 1,
  }))
  return { fleet: { ...whole, pools }, part: engines / all, engines, ofEngines: all }
}

/** The least count whose multiple is hardly above a whole one, else the one of which least is lost. */
function matching(about: number, all: number, ratio: number): number {
  let [best, least] = [about, Number.POSITIVE_INFINITY]
  for (let count = Math.ceil(TIMES.least * about); count <= Math.min(all, TIMES.most * about); count++) {
    const wanted = count * ratio
    const lost = Math.abs(wanted - Math.max(1, Math.floor(wanted + 1e-9))) / wanted
    if (lost < least - 1e-9) [best, least] = [count, lost]
    if (least < LOST) break
  }
  return best
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
