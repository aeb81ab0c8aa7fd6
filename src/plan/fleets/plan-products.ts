import { type FleetPlan, TwospeedError } from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import type { AskedProduct, FleetOptions } from './asked.ts'
import { planFleet } from './plan-fleet.ts'

/** Fleets of several products: a pool for each against one that all share. */
export function planProducts(
  candidates: readonly Candidate[],
  asked: readonly AskedProduct[],
  options: FleetOptions = {},
): FleetPlan {
  const plans: FleetPlan['plans'][number][] = []
  const refused: FleetPlan['refused'][number][] = []
  for (const { product, demand } of asked) {
    try {
      plans.push(planFleet(candidates, product, demand, options))
    } catch (error) {
      if (!(error instanceof TwospeedError)) throw error
      const { code, message, hint } = error
      refused.push({ product, error: { code, message, hint } })
    }
  }
  return { plans, refused, sentence: '', arithmetic: [] }
}
