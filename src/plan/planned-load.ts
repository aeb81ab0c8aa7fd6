import { figure, type PlanBinding, type Product, TwospeedError } from '../core/index.ts'
import type { ChosenPoint } from './choice.ts'
import { pointFor, shown } from './choose.ts'
import type { Evidence } from './evidence.ts'
import { judgeOf } from './judge.ts'
import { reasonOf } from './reason.ts'
import { type Replica, replicasOf } from './replica.ts'

/** The load that a fleet is planned with. */
export interface PlannedLoad {
  readonly choice: ChosenPoint
  readonly binding: PlanBinding
  /** Sentences. */
  readonly reason: string
}

/** Loads that are looked at one by one; of more, those that were measured and those beside them. */
const MOST_LOADS = 4096

/**
 * The load at which a replica answers most requests a second while the objective and the memory hold. Mostly that is the greatest at which they
 * do, which `choose` finds. Where throughput falls with load it is less, so that a lower floor, which allows all that a higher one does, never takes more
 * GPUs.
 */
export function plannedLoad(
  evidence: Evidence,
  product: Product,
  replica: Replica,
  room: number = Number.POSITIVE_INFINITY,
): PlannedLoad {
  const found = pointFor(evidence, product)
  const choice = shown(found.point, evidence)
  const reason = reasonOf(evidence, product, found.point, found.binding)
  const count = replicasOf(evidence)
  const fits = room * count
  if (product.goal === 'throughput' && choice.concurrency <= fits) return { choice, binding: found.binding, reason }
  const most = Math.min(choice.concurrency, fits)
  const judge = judgeOf(evidence, product)
  let [best, rate] = [0, 0]
  for (const load of loadsUpTo(most, evidence)) {
    const point = evidence.curve.at(load)
    if (point === undefined || judge.missed(point) !== undefined) continue
    const answered = output(product, replica, load / count, point.outputTokensPerSecond)
    if (answered > rate * (1 + 1e-9)) [best, rate] = [load, answered]
  }
  if (best === choice.concurrency) return { choice, binding: found.binding, reason }
  const point = evidence.curve.at(best)
  if (point === undefined) {
    throw new TwospeedError(
      'NO_POINT_HOLDS',
      `the KV cache holds ${figure(most)} requests at once, and of so few nothing is known: the least load measured is ${figure(evidence.curve.points[0]?.load ?? 0)}`,
      'Measure at a lower load.',
    )
  }
  const isOfMemory = most < choice.concurrency && best === most
  const why = isOfMemory
    ? `${figure(best)} in flight are what the KV cache holds.`
    : `${figure(best)} in flight answer more requests than ${figure(choice.concurrency)}, where throughput is past its highest.`
  return {
    choice: shown(point, evidence),
    binding: isOfMemory ? 'kv' : 'throughput',
    reason: `${why} Without that: ${reason}`,
  }
}

/** Greatest first, so that of equals the greatest is taken. */
function loadsUpTo(most: number, { curve, isPredicted }: Evidence): readonly number[] {
  const measured = curve.points.map(({ load }) => load)
  // What is foretold rises from load to load until it stays, so that a few of them do.
  const isFew = most <= MOST_LOADS && isPredicted === undefined
  const whole = isFew
    ? Array.from({ length: Math.floor(most) }, (_, i) => i + 1)
    : [...measured, ...(curve.fitted.limit === undefined ? [] : [curve.fitted.limit.load])].flatMap((load) => [
        Math.ceil(load) - 1,
        Math.floor(load),
        Math.floor(load) + 1,
      ])
  const loads = curve.points.length === 0 ? [Math.floor(most)] : [...measured, ...whole, most]
  return [...new Set(loads)].filter((load) => load > 0 && load <= most).sort((a, b) => b - a)
}

/** A batch is measured by tokens; of requests that come, by how many are answered. */
function output(product: Product, replica: Replica, inFlight: number, tokensPerSecond: number): number {
  return product.goal === 'throughput' ? tokensPerSecond : (replica.at(inFlight)?.requestsPerSecond ?? 0)
}
