import type { Plan, PlanCheck } from '../../core/index.ts'

/** The plan with the simulator's word: where more replicas than those of its peak hold the share, the peak is planned with those. */
export function withCheck(plan: Plan, check: PlanCheck): Plan {
  const arithmetic = [...plan.arithmetic, ...check.sentences]
  const { replicasAtPeak, gpusAtPeak, cost } = plan
  const wanted = check.kind === 'tail' ? check.replicas : undefined
  if (wanted === undefined || replicasAtPeak === undefined || wanted <= replicasAtPeak) {
    return { ...plan, check, arithmetic }
  }
  const more = wanted / replicasAtPeak
  const perHourAtPeak = cost?.perHourAtPeak
  return {
    ...plan,
    check,
    arithmetic,
    replicasAtPeak: wanted,
    ...(gpusAtPeak !== undefined && { gpusAtPeak: Math.round(gpusAtPeak * more) }),
    ...(cost !== undefined &&
      perHourAtPeak !== undefined && { cost: { ...cost, perHourAtPeak: perHourAtPeak * more } }),
  }
}
