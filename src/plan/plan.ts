import {
  checkAmounts,
  figure,
  type Plan,
  type Product,
  type ProductWork,
  RANGES,
  TwospeedError,
} from '../core/index.ts'
import type { ChosenPoint } from './choice.ts'
import { type Demand, demandOf } from './demand.ts'
import type { Evidence } from './evidence.ts'
import { planArrivals } from './plan-arrivals.ts'
import { planBatch } from './plan-batch.ts'
import { plannedLoad } from './planned-load.ts'
import { replicaOf, replicasOf } from './replica.ts'

export interface PlanOptions {
  /** Refuse a plan that stands on a load outside those that were measured. */
  readonly strict?: boolean
}

/**
 * Plans the fleet that holds a product: by Little's law how many requests are in flight, hence how many replicas of what was measured; of a
 * batch how long it takes, or how many replicas its deadline wants.
 *
 * Throws NO_POINT_HOLDS where no load holds the objective, no fleet the deadline, or, where asked to be strict, nothing measured does;
 * CONFLICTING_FLAGS and MISSING_VALUE, with all that is wrong with the demand at once.
 */
export function plan(
  evidence: Evidence,
  product: Product & ProductWork,
  asked: Demand,
  { strict = false }: PlanOptions = {},
): Plan {
  const demand = demandOf(product, asked)
  checkAmounts([['the GPUs', evidence.gpus, RANGES.count]])
  if (demand.gpuHour !== undefined && evidence.gpus === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      '--gpu-hour is the price of a GPU, and how many GPUs the server has is not known',
      'Add --gpus N, those of the whole server.',
    )
  }
  const replica = replicaOf(evidence, demand.outputTokens)
  const load = plannedLoad(evidence, product, replica, roomFor(demand))
  if (strict) refuseUnmeasured(evidence, load.choice)
  const server = { evidence, product, replica, load, perReplica: load.choice.concurrency / replicasOf(evidence) }
  if (product.goal !== 'throughput') return planArrivals(server, demand)
  const batch = planBatch(server, demand)
  // So short a deadline may want less in each replica than was measured.
  if (strict) refuseUnmeasured(evidence, { ...batch.perReplica, concurrency: batch.perReplica.inFlight })
  return batch
}

/** Throws where a plan does not stand on what was measured. */
function refuseUnmeasured(
  { curve, standing }: Evidence,
  { concurrency, source }: Pick<ChosenPoint, 'concurrency' | 'source'>,
): void {
  const refuse = (on: string, hint: string): never => {
    throw new TwospeedError(
      'NO_POINT_HOLDS',
      `--strict: the plan stands on ${figure(concurrency)} in flight${on}`,
      `${hint}, or leave --strict out.`,
    )
  }
  if (standing === 'uncalibrated') refuse(' by datasheets alone', 'Measure it')
  if (standing === 'newShape') {
    refuse(' by measurements of other lengths or of another layout', 'Measure what is asked for')
  }
  if (source !== 'extrapolated') return
  const [least, most] = [curve.points[0]?.load, curve.points.at(-1)?.load]
  const range = least === undefined || most === undefined ? 'nothing' : `${figure(least)} to ${figure(most)}`
  refuse(`, and measured was ${range}`, 'Measure there')
}

/** Requests at once in the KV cache of a replica. */
function roomFor({ kvTokens, inputTokens = 0, outputTokens }: ReturnType<typeof demandOf>): number | undefined {
  if (kvTokens === undefined) return undefined
  const room = Math.floor(kvTokens / (inputTokens + outputTokens / 2))
  if (room >= 1 && inputTokens + outputTokens <= kvTokens) return room
  throw new TwospeedError(
    'DOES_NOT_FIT',
    `a request of ${figure(inputTokens)} tokens in and ${figure(outputTokens)} out is more than --kv-tokens ${figure(kvTokens)}`,
    'Give a replica more memory for its cache, or shorten the requests.',
  )
}
