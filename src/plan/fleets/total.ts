import type { BatchFill, FleetSize, Plan, PlannedPool } from '../../core/index.ts'
import { servers } from '../plan-words.ts'
import { type Sized, sizeOf, sizeWords, takesOf } from './size.ts'

/** Pools of those that want a pace, batches with a fleet of their own each, and what of them goes into the pools. */
interface Bought {
  readonly pools: readonly Plan[]
  readonly batches: readonly Plan[]
  readonly fills: readonly BatchFill[]
}

/**
 * What is to be bought for all products: the pools, what a batch that is late beside users has more, and a fleet for each batch that does not go
 * into them. Places are given away once: of several batches in one pool, the first has them.
 */
export function totalOf({ pools, batches, fills }: Bought): FleetSize {
  const taken = new Set<string>()
  const parts = batches.map((plan) => {
    const { name } = plan.product
    const fill = fills.find(({ product, tokensPerSecond }) => product === name && tokensPerSecond > 0)
    const pool = pools.find(({ product }) => product.name === fill?.pool)
    if (fill === undefined || pool === undefined || taken.has(fill.pool)) {
      return { size: plan, words: `${name} in a fleet of its own, ${servers(plan.replicas)}` }
    }
    const { moreReplicas = 0 } = fill.trough
    const added = more(pool, moreReplicas)
    // What is late there may take more of the pool's servers than it takes of its own, which are the best for it.
    if (moreReplicas > 0 && isLess(plan, added)) {
      return { size: plan, words: `${name} in a fleet of its own, ${servers(plan.replicas)}` }
    }
    taken.add(fill.pool)
    if (moreReplicas === 0) return { words: `${name} in what ${fill.pool} leaves idle of those for the peak` }
    return { size: added, words: `${servers(moreReplicas)} more for ${name}` }
  })
  const size = sizeOf([...pools, ...parts.flatMap(({ size }) => size ?? [])])
  const own = pools.length === 0 ? [] : [pools.length === 1 ? 'one pool' : 'pools of their own']
  return {
    ...size,
    sentence: `To buy in all: ${sizeWords(size)} (${[...own, ...parts.map(({ words }) => words)].join('; ')}).`,
  }
}

/** By money where both have prices, else by GPUs. */
function isLess(one: Sized, other: Sized): boolean {
  const [a, b] = [sizeOf([one]), sizeOf([other])]
  const byMoney = a.perHourAtPeak !== undefined && b.perHourAtPeak !== undefined
  return (takesOf(a, byMoney) ?? Number.POSITIVE_INFINITY) < (takesOf(b, byMoney) ?? Number.POSITIVE_INFINITY)
}

/** So many replicas as those of a pool; of split pools that answer, and with them whole ones that read. */
function more({ gpus, replicas, pools, cost }: Plan, count: number): Sized {
  if (gpus === undefined) return {}
  const each = ({ instances, gpusPerInstance }: PlannedPool): number =>
    Math.ceil((count * instances) / replicas - 1e-9) * gpusPerInstance
  const added = pools === undefined ? (gpus * count) / replicas : each(pools.prefill) + each(pools.decode)
  return { gpus: added, ...(cost !== undefined && { cost: { perHour: (cost.perHour * added) / gpus } }) }
}
