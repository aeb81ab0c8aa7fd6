import { figure, type Plan, type PlannedPool, type PoolInstances, type Trace } from '../../core/index.ts'
import type { SimulatedUnit } from '../candidate.ts'
import { checkTail, withCheck } from '../check/index.ts'
import { gpusOf } from '../plan-words.ts'
import type { FleetOptions } from './asked.ts'
import type { Way } from './way.ts'

/** The plan of a way with the simulator's word on it. */
export function checked(
  { plan, split }: Way,
  unit: SimulatedUnit | undefined,
  { lengths, trace }: FleetOptions & { readonly trace?: Trace },
): Plan {
  const check = checkTail(plan, {
    unit,
    ...(split !== undefined && { instances: { mean: countsOf(split.fleet.mean), peak: countsOf(split.fleet.peak) } }),
    ...(lengths !== undefined && { lengths }),
    ...(trace !== undefined && { trace }),
  })
  if (split === undefined || check.kind !== 'tail') return withCheck(plan, check)
  const said = { ...plan, check, arithmetic: [...plan.arithmetic, ...check.sentences] }
  return check.pools === undefined ? said : withAtLeast(said, check.pools)
}

const countsOf = ({ prefill, decode }: PoolInstances): PoolInstances => ({ prefill, decode })

/** Split pools with as many instances at the peak, where those are more than the arithmetic has. */
function withAtLeast(plan: Plan, found: PoolInstances): Plan {
  const { pools, cost, gpusAtPeak } = plan
  if (pools === undefined || gpusAtPeak === undefined) return plan
  const grown = (pool: PlannedPool, count: number): PlannedPool & { readonly instancesAtPeak: number } => ({
    ...pool,
    instancesAtPeak: Math.max(count, pool.instancesAtPeak ?? pool.instances),
  })
  const [prefill, decode] = [grown(pools.prefill, found.prefill), grown(pools.decode, found.decode)]
  const gpus = prefill.instancesAtPeak * prefill.gpusPerInstance + decode.instancesAtPeak * decode.gpusPerInstance
  if (gpus === gpusAtPeak) return plan
  return {
    ...plan,
    pools: { ...pools, prefill, decode },
    replicasAtPeak: decode.instancesAtPeak,
    gpusAtPeak: gpus,
    ...(cost?.perHourAtPeak !== undefined && {
      cost: { ...cost, perHourAtPeak: (cost.perHourAtPeak * gpus) / gpusAtPeak },
    }),
    arithmetic: [
      ...plan.arithmetic,
      `So the peak is planned with ${figure(prefill.instancesAtPeak)} × ${prefill.layout} that read and ${figure(decode.instancesAtPeak)} × ${decode.layout} that answer, ${gpusOf(gpus)}.`,
    ],
  }
}
