import type { Plan, Product, ProductWork, Trace } from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import { paceConfidence } from '../choosing/pace-confidence.ts'
import { settingsOf } from '../choosing/settings.ts'
import { cacheOf, raisedDay } from '../day/index.ts'
import type { demandOf } from '../demand.ts'
import { energyOf } from '../energy.ts'
import type { Evidence } from '../evidence.ts'
import { replicasOf } from '../replica.ts'
import type { FleetOptions } from './asked.ts'
import { checked } from './checked.ts'
import type { Way } from './way.ts'

type Asked = ReturnType<typeof demandOf>

/**
 * What is told of the way that is taken only: what the simulator says, what the day asks of as many as there then are, what they draw, what a cache of
 * beginnings is worth, what to set and how sure it is.
 */
export function completed(way: Way, product: Product & ProductWork, demand: Asked, options: FleetOptions): Plan {
  const { candidate, split } = way
  const { inputTokens, outputTokens } = demand
  const lengths = { output: outputTokens, ...(inputTokens !== undefined && { input: inputTokens }) }
  const evidence = candidate.evidenceFor(lengths)
  const unit = candidate.unitFor(lengths)
  const plan = withDay(
    options.check === false ? way.plan : checked(way, unit, { ...options, ...recorded(demand) }),
    way,
  )
  const energy = energyOf(plan, candidate.powerW)
  const cache = cacheFor(plan, way, unit, demand)
  // Of split pools the chosen load is of one that answers, and a candidate of one group.
  const answering = plan.pools === undefined ? 1 : (plan.pools.decode.instancesAtPeak ?? plan.pools.decode.instances)
  const copies = (answering * (candidate.copies ?? 1)) / (split?.answering ?? 1)
  return {
    ...plan,
    ...(energy !== undefined && { energy }),
    ...(cache !== undefined && { cache }),
    arithmetic: [...plan.arithmetic, ...[energy, cache].flatMap((told) => told?.sentence ?? [])],
    settings: settingsOf({
      candidate: copies > 1 ? { ...candidate, copies } : candidate,
      evidence,
      product,
      inFlight: heldBy(plan, evidence, copies) * answering,
      lengths,
    }),
    confidence: paceConfidence(plan.choice, evidence),
  }
}

/** The chosen load; of a batch whose part is less, that part, which is in flight at once: the same in each copy, or one more. */
function heldBy({ product, choice, perReplica }: Plan, evidence: Evidence, copies: number): number {
  const { concurrency } = choice
  if (product.goal !== 'throughput') return concurrency
  return Math.min(concurrency, Math.ceil(perReplica.inFlight / copies) * copies * replicasOf(evidence))
}

/** A trace says when its requests come and how long they are, each with its own answer. */
function recorded({ day, inputTokens: prompt = 1 }: Asked): Pick<FleetOptions, 'lengths'> & { readonly trace?: Trace } {
  if (day?.kind !== 'trace') return {}
  const pairs = day.trace.rows.map(({ inputTokens = prompt, outputTokens = 1 }) => ({ inputTokens, outputTokens }))
  return { lengths: { pairs }, trace: day.trace }
}

/** The day with the replicas that the peak has in the end. */
function withDay(plan: Plan, { split, pricePerHour }: Way): Plan {
  const { day, gpusAtPeak, replicas, replicasAtPeak = replicas } = plan
  if (day === undefined) return plan
  // Of split pools a replica is one that answers, with its share of those that read.
  const each =
    split === undefined || gpusAtPeak === undefined
      ? undefined
      : { gpus: gpusAtPeak / replicasAtPeak, ...(pricePerHour !== undefined && { gpuHour: pricePerHour }) }
  const raised = raisedDay(day, replicasAtPeak, each)
  const arithmetic = plan.arithmetic.map((line) => (line === day.sentence ? raised.sentence : line))
  return { ...plan, day: raised, arithmetic }
}

/** Of a trace that says how its prompts begin. */
function cacheFor(
  { product, replicas, replicasAtPeak = replicas, gpusAtPeak }: Plan,
  { split }: Way,
  unit: ReturnType<Candidate['unitFor']>,
  { day }: Asked,
): ReturnType<typeof cacheOf> {
  if (unit === undefined || day?.kind !== 'trace') return undefined
  const units = Math.max(1, Math.round(replicasAtPeak / (split?.answering ?? 1)))
  return cacheOf(
    day.trace,
    { unit, replicas: units, ...(gpusAtPeak !== undefined && { gpus: gpusAtPeak / units }) },
    product,
  )
}
