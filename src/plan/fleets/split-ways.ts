import type { PoolInstances, Product, ProductWork } from '../../core/index.ts'
import { nameOfPools, type SplitFleet, splitFleets } from '../../model/index.ts'
import type { Candidate } from '../candidate.ts'
import { splitCandidate } from '../candidates/split-candidate.ts'
import type { demandOf } from '../demand.ts'
import type { SplitSource } from './asked.ts'
import { splitPlan } from './split-plan.ts'
import { splitStay } from './split-stay.ts'
import type { SplitOfWay, Way } from './way.ts'

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
        ...groupOf(source, fleet),
      }
    })
  })
}

/** Of the kind of which there are fewer, so many in a group at the most. */
const MANY = 16
/** Nearer by less is no nearer. */
const WORTH = 0.005

interface Group {
  readonly prefill: number
  readonly decode: number
  /** How far their instances are from those of the fleet, as a share. */
  readonly apart: number
}

/**
 * The fleet of the peak as groups that are alike, one of which stands for all where something is told of a part of them: its curve, its settings, a
 * trace that is played on a slice. Each group is rounded down; of all sizes the one that is nearest to the fleet, and of equals the smallest.
 */
function groupOf(
  source: SplitSource,
  fleet: SplitFleet,
): { readonly candidate: Candidate; readonly split: SplitOfWay } {
  const { way, prefill, decode, peak } = fleet
  const fewer = Math.min(peak.prefill, peak.decode)
  const sizes = Array.from({ length: Math.min(MANY, fewer) }, (_, i) => Math.floor(fewer / (i + 1)))
  const best = sizes.map((count) => groupIn(peak, count)).reduce((a, b) => (b.apart < a.apart - WORTH ? b : a))
  const pools = { prefill: { ...prefill, count: best.prefill }, decode: { ...decode, count: best.decode } }
  const candidate = splitCandidate({ ...source, link: way.link }, pools)
  return { candidate, split: { fleet, source, answering: best.decode } }
}

function groupIn(peak: PoolInstances, count: number): Group {
  const [prefill, decode] = [Math.floor(peak.prefill / count), Math.floor(peak.decode / count)]
  const off = (whole: number, each: number): number => 1 - (count * each) / whole
  return { prefill, decode, apart: Math.max(off(peak.prefill, prefill), off(peak.decode, decode)) }
}
