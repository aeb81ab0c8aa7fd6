import type { Plan, Product, ProductWork } from '../../core/index.ts'
import { TwospeedError } from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import type { Demand } from '../demand.ts'
import { plan } from '../plan.ts'
import type { FleetOptions } from './asked.ts'

/**
 * The fleet that holds a product, of the way to serve that takes the fewest GPUs at the peak, or where their prices differ the least money.
 */
export function planFleet(
  candidates: readonly Candidate[],
  product: Product & ProductWork,
  demand: Demand,
  options: FleetOptions = {},
): Plan {
  const [first] = candidates
  const output = demand.outputTokens ?? product.outputTokens
  const input = demand.inputTokens ?? product.inputTokens
  if (first === undefined || output === undefined) {
    throw new TwospeedError('MISSING_VALUE', 'nothing to plan with', 'Give a run, points, a law or a model and GPUs.')
  }
  const evidence = first.evidenceFor({ output, ...(input !== undefined && { input }) })
  return plan(evidence, product, demand, options)
}
