import { enginePolicy } from '../../sim/index.ts'
import type { MeanLengths, SimulatedUnit } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'
import { replicasOf } from '../replica.ts'
import { measuredSteps } from './measured-steps.ts'

export interface EvidenceUnitOptions {
  /** What the KV cache of a replica holds. */
  readonly kvTokens?: number
}

/** A server that stops at so many decodes has as many places; what is seen in the mean is a little less. */
const SEEN = 0.05

/**
 * A replica of what was measured, for requests of these lengths; undefined where nothing says how long its steps take. Give evidence of
 * the typical request: with a share its steps are already those of the slow.
 */
export function unitOfEvidence(
  evidence: Evidence,
  lengths: MeanLengths,
  { kvTokens }: EvidenceUnitOptions = {},
): SimulatedUnit | undefined {
  const steps = measuredSteps(evidence, lengths)
  if (steps === undefined) return undefined
  const { gpus, curve, fit } = evidence
  const replicas = replicasOf(evidence)
  const { limit } = curve.fitted
  const held = kvTokens ?? (fit.kvLimit === undefined ? undefined : fit.kvLimit.tokens / replicas)
  return {
    pools: [
      {
        name: 'server',
        role: 'both',
        replicas: 1,
        dataParallel: 1,
        ...(gpus !== undefined && { gpusPerReplica: Math.ceil(gpus / replicas) }),
        policy: enginePolicy({
          ...(limit !== undefined && { maxNumSeqs: Math.max(1, Math.ceil(limit.batch - SEEN)) }),
          ...(held !== undefined && { kvTokens: Math.floor(held) }),
        }),
        stepTime: steps.stepTime,
      },
    ],
    ...(steps.entryS > 0 && { entrySeconds: () => steps.entryS }),
  }
}
