import type { Product, ProductWork } from '../../core/index.ts'
import { nameOfPools, type SplitFleet, splitFleets } from '../../model/index.ts'
import type { Candidate } from '../candidate.ts'
import { splitCandidate } from '../candidates/split-candidate.ts'
import type { demandOf } from '../demand.ts'
import type { SplitSource } from './asked.ts'
import { splitPlan } from './split-plan.ts'
import { splitStay } from './split-stay.ts'
import type { Way } from './way.ts'

/** Split pools over whole instances, of every source the few that take the fewest GPUs. Empty where prompts have no length. */
export function splitWays(
  sources: readonly SplitSource[],
  product: Product & ProductWork,
  demand: ReturnType<typeof demandOf>,
  most: number,
): readonly Way[] {
  const { inputTokens, outputTokens } = demand
  if (inputTokens === undefined || product.goal === 'throughput') return []
  const { tokensPerSecond: floor, ttftMs } = product
  const { day: _, ...flat } = demand
  const lengths = { inputTokens, outputTokens }
  return sources.flatMap((source) => {
    const { pricePerHour, link } = source
    const price = pricePerHour ?? demand.gpuHour
    const fleets = splitFleets({
      ...source,
      lengths,
      most,
      objective: { ...(floor !== undefined && { floor }), ...(ttftMs !== undefined && { ttftMs }) },
      ...(link !== undefined && { link }),
      meanAt: (load) => splitStay(load, flat).arrivalsPerSecond,
      peakAt(load) {
        const { arrivalsPerSecond, timeInSystemS, peak } = splitStay(load, demand)
        return Math.max(arrivalsPerSecond, peak.inFlight / timeInSystemS)
      },
    })
    return fleets.map((fleet): Way => {
      const { prefill, decode, peak } = fleet
      const name = `${source.gpu.id} ${nameOfPools({ ...prefill, count: peak.prefill }, { ...decode, count: peak.decode })}`
      const plan = splitPlan(fleet, product, demand, splitStay(fleet.way.most, demand), price)
      return {
        name,
        plan,
        ...(price !== undefined && { pricePerHour: price }),
        ...groupsOf(source, fleet),
      }
    })
  })
}

/** Instances of each kind from which on one more or less of them hardly matters. */
const MANY = 8

/**
 * A fleet of split pools as groups that are alike, as the simulator takes it a slice at a time: the largest number of groups that leaves many of each
 * kind in one, each rounded down, so that they are no better than the fleet.
 */
function groupsOf(
  source: SplitSource,
  { way, prefill, decode, mean, peak }: SplitFleet,
): { readonly candidate: Candidate; readonly groups: NonNullable<Way['groups']> } {
  const at = Math.max(1, Math.floor(Math.min(peak.prefill, peak.decode) / MANY))
  const pools = {
    prefill: { ...prefill, count: Math.floor(peak.prefill / at) },
    decode: { ...decode, count: Math.floor(peak.decode / at) },
  }
  const candidate = splitCandidate({ ...source, link: way.link }, pools)
  const ofMean = Math.max(1, Math.floor(Math.min(mean.prefill / pools.prefill.count, mean.decode / pools.decode.count)))
  return { candidate, groups: { mean: ofMean, peak: at, decode: pools.decode.count } }
}
