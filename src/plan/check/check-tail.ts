import type { Lengths, Plan, PlanCheck } from '../../core/index.ts'
import type { SimulatedUnit } from '../candidate.ts'

/** The fleet that a plan is of. */
export interface CheckedServer {
  /** As its candidate gives it; undefined where it cannot be simulated. */
  readonly unit: SimulatedUnit | undefined
  /** Units of the fleet, where they are not the plan's replicas: groups of split pools. Then those that are found are units too. */
  readonly units?: { readonly mean: number; readonly peak: number }
  /** Distributions, where they are known; else every request has the plan's mean. */
  readonly lengths?: { readonly input?: Lengths; readonly output?: Lengths }
}

/** Simulates the fleet of a plan: whether the share of requests gets all of the objective, and how many replicas it takes. */
export function checkTail(_plan: Plan, _server: CheckedServer): PlanCheck {
  return { kind: 'none', sentences: [] }
}
