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

/** Of the kind of which there are fewer, so many in a group at the most. */
const MANY = 16
/** Nearer by less is no nearer. */
const WORTH = 0.005

interface Groups {
  readonly prefill: number
  readonly decode: number
  readonly mean: number
  readonly peak: number
  /** How far their instances are from those of the fleets, as a share. */
  readonly apart: number
}

/**
 * A fleet of split pools as groups that are alike, as the simulator takes it a slice at a time. Each group is rounded down, so that together they are
 * no better than the fleet; of all sizes the one that is nearest to it, and of equals the smallest. A fleet of the mean that has not even one
 * is taken for that of the peak.
 */
function groupsOf(
  source: SplitSource,
  { way, prefill, decode, mean, peak }: SplitFleet,
): { readonly candidate: Candidate; readonly groups: NonNullable<Way['groups']> } {
  const fewer = Math.min(peak.prefill, peak.decode)
  const sizes = Array.from({ length: Math.min(MANY, fewer) }, (_, i) => Math.floor(fewer / (i + 1)))
  const best = sizes.map((count) => groupsIn(mean, peak, count)).reduce((a, b) => (b.apart < a.apart - WORTH ? b : a))
  const pools = { prefill: { ...prefill, count: best.prefill }, decode: { ...decode, count: best.decode } }
  const candidate = splitCandidate({ ...source, link: way.link }, pools)
  return { candidate, groups: { mean: best.mean, peak: best.peak, decode: best.decode } }
}

type Instances = Pick<SplitFleet['mean'], 'prefill' | 'decode'>

function groupsIn(mean: Instances, peak: Instances, count: number): Groups {
  const prefill = Math.floor(peak.prefill / count)
  const decode = Math.floor(peak.decode / count)
  const ofMean = Math.max(1, Math.floor(Math.min(mean.prefill / prefill, mean.decode / decode)))
  const off = (fleet: Instances, groups: number): number =>
    Math.max(Math.abs((groups * prefill) / fleet.prefill - 1), Math.abs((groups * decode) / fleet.decode - 1))
  return { prefill, decode, mean: ofMean, peak: count, apart: Math.max(off(peak, count), off(mean, ofMean)) }
}
