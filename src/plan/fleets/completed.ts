import type { Plan, Product, ProductWork } from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import { paceConfidence } from '../choosing/pace-confidence.ts'
import { settingsOf } from '../choosing/settings.ts'
import { cacheOf } from '../day/index.ts'
import type { demandOf } from '../demand.ts'
import type { FleetOptions } from './asked.ts'
import { checked } from './checked.ts'
import type { Way } from './way.ts'

type Asked = ReturnType<typeof demandOf>

/** What is told of the way that is taken only: what to set, how sure it is, what the simulator says, what a cache of beginnings is worth. */
export function completed(way: Way, product: Product & ProductWork, demand: Asked, options: FleetOptions): Plan {
  const { candidate, groups } = way
  const { inputTokens, outputTokens } = demand
  const lengths = { output: outputTokens, ...(inputTokens !== undefined && { input: inputTokens }) }
  const evidence = candidate.evidenceFor(lengths)
  const unit = candidate.unitFor(lengths)
  const plan = options.check === false ? way.plan : checked(way, unit, options)
  const cache = cacheFor(plan, way, unit, demand)
  const inFlight = plan.choice.concurrency * (groups?.decode ?? 1)
  return {
    ...plan,
    ...(cache !== undefined && { cache, arithmetic: [...plan.arithmetic, cache.sentence] }),
    settings: settingsOf({ candidate, evidence, product, inFlight, lengths }),
    confidence: paceConfidence(plan.choice, evidence),
  }
}

/** Of a trace that says how its prompts begin. */
function cacheFor(
  { product, replicasAtPeak, replicas, gpusAtPeak }: Plan,
  { groups }: Way,
  unit: ReturnType<Candidate['unitFor']>,
  { day }: Asked,
): ReturnType<typeof cacheOf> {
  if (unit === undefined || day?.kind !== 'trace') return undefined
  const units = groups?.peak ?? replicasAtPeak ?? replicas
  return cacheOf(
    day.trace,
    { unit, replicas: units, ...(gpusAtPeak !== undefined && { gpus: gpusAtPeak / units }) },
    product,
  )
}
