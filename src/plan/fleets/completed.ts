import type { Plan, Product, ProductWork } from '../../core/index.ts'
import { paceConfidence } from '../choosing/pace-confidence.ts'
import { settingsOf } from '../choosing/settings.ts'
import type { demandOf } from '../demand.ts'
import type { FleetOptions } from './asked.ts'
import type { Way } from './way.ts'

/** What is told of the way that is taken only. */
export function completed(
  { plan, candidate, groups }: Way,
  product: Product & ProductWork,
  { inputTokens, outputTokens }: ReturnType<typeof demandOf>,
  _options: FleetOptions,
): Plan {
  const lengths = { output: outputTokens, ...(inputTokens !== undefined && { input: inputTokens }) }
  const evidence = candidate.evidenceFor(lengths)
  const inFlight = plan.choice.concurrency * (groups?.decode ?? 1)
  return {
    ...plan,
    settings: settingsOf({ candidate, evidence, product, inFlight, lengths }),
    confidence: paceConfidence(plan.choice, evidence),
  }
}
