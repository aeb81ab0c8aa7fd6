import type { Plan, Trough } from '../../core/index.ts'
import type { Evidence } from '../evidence.ts'

/** A plan, and what it was made from. */
export interface PlannedWith {
  readonly plan: Plan
  readonly evidence: Evidence
}

/**
 * What of a batch goes into the trough of an interactive fleet. Both plans are of the same way to serve, each of its own lengths; the interactive one
 * has a `day`. `batch` is the plan of a fleet of its own, by its deadline where it has one. Where the interactive plan has no day, none.
 */
export function troughOf(_interactive: PlannedWith, _batch: PlannedWith): Trough | undefined {
  return undefined
}
