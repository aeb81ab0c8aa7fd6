import { figure, type Plan, type PlannedPool, type TailCheck } from '../../core/index.ts'
import type { SimulatedUnit } from '../candidate.ts'
import { checkTail, withCheck } from '../check/index.ts'
import { gpusOf } from '../plan-words.ts'
import type { FleetOptions } from './asked.ts'
import type { Way } from './way.ts'

/** The plan of a way with the simulator's word on it. */
export function checked({ plan, groups }: Way, unit: SimulatedUnit | undefined, { lengths }: FleetOptions): Plan {
  const check = checkTail(plan, {
    unit,
    ...(groups !== undefined && { units: { mean: groups.mean, peak: groups.peak } }),
    ...(lengths !== undefined && { lengths }),
  })
  if (groups === undefined || check.kind !== 'tail') return withCheck(plan, check)
  const told = { ...check, sentences: [...check.sentences, ...groupsSentence(plan, groups, unit)] }
  const said = { ...plan, check: told, arithmetic: [...plan.arithmetic, ...told.sentences] }
  return check.replicas === undefined || check.replicas <= groups.peak ? said : withMoreGroups(said, groups, check)
}

/** What was simulated in the place of the fleet: groups that are alike, rounded down. */
function groupsSentence(
  { pools }: Plan,
  { peak }: NonNullable<Way['groups']>,
  unit: SimulatedUnit | undefined,
): readonly string[] {
  if (pools === undefined || unit === undefined) return []
  const inGroup = (role: 'prefill' | 'decode'): number =>
    unit.pools.reduce((sum, pool) => sum + (pool.role === role ? pool.replicas : 0), 0)
  const of = ({ instances, instancesAtPeak = instances }: PlannedPool): string => figure(instancesAtPeak)
  const [read, answer] = [inGroup('prefill'), inGroup('decode')]
  return [
    `A group is ${figure(read)} that read and ${figure(answer)} that answer: ${figure(peak * read)} and ${figure(peak * answer)} stand for the ${of(pools.prefill)} and ${of(pools.decode)} of the peak.`,
  ]
}

/** Split pools of more groups than the arithmetic has: both kinds of instances grow alike. */
function withMoreGroups(plan: Plan, { peak }: NonNullable<Way['groups']>, { replicas = peak }: TailCheck): Plan {
  const { pools, cost, gpusAtPeak } = plan
  if (pools === undefined) return plan
  const grown = (pool: PlannedPool): PlannedPool => ({
    ...pool,
    instancesAtPeak: Math.ceil(((pool.instancesAtPeak ?? pool.instances) * replicas) / peak),
  })
  const [prefill, decode] = [grown(pools.prefill), grown(pools.decode)]
  const gpus = gpusIn(prefill) + gpusIn(decode)
  return {
    ...plan,
    pools: { ...pools, prefill, decode },
    replicasAtPeak: decode.instancesAtPeak ?? plan.replicas,
    gpusAtPeak: gpus,
    ...(cost?.perHourAtPeak !== undefined &&
      gpusAtPeak !== undefined && { cost: { ...cost, perHourAtPeak: (cost.perHourAtPeak * gpus) / gpusAtPeak } }),
    arithmetic: [
      ...plan.arithmetic,
      `So the peak is planned with ${prefill.instancesAtPeak} × ${prefill.layout} that read and ${decode.instancesAtPeak} × ${decode.layout} that answer, ${gpusOf(gpus)}. Whole groups of them were tried, ${figure(replicas)} for ${figure(peak)}, so that fewer may do.`,
    ],
  }
}

const gpusIn = ({ instances, instancesAtPeak = instances, gpusPerInstance }: PlannedPool): number =>
  instancesAtPeak * gpusPerInstance
