/** What a fleet really does: the whole of it, under the law itself, with seeds of its own and for longer than a plan looks. */
import { mean, type Product } from '../../src/core/index.ts'
import { parseLaw } from '../../src/model/index.ts'
import { createSource, simulate } from '../../src/sim/index.ts'
import { fleetOf, type PlannedServer } from './servers.ts'

export interface Truth {
  /** Share of the requests that had all of the objective. */
  readonly attainment: number
  /** Standard error of it, from seed to seed. */
  readonly error: number
}

const SEEDS = 4
/** Of each seed at the least, and so many times those in flight. */
const REQUESTS = 24_000
const TIMES_IN_FLIGHT = 8

export function truthOf(
  { law, lengths }: PlannedServer,
  product: Product,
  { arrivalsPerSecond, inFlight }: { readonly arrivalsPerSecond: number; readonly inFlight: number },
  replicas: number,
  least = REQUESTS,
): Truth {
  const { tokensPerSecond, ttftMs } = product
  const seen = Array.from({ length: SEEDS }, (_, seed) => {
    const { goodput } = simulate({
      fleet: fleetOf(parseLaw(law), replicas),
      lanes: [
        {
          name: 'all',
          priority: 0,
          source: createSource({
            arrivals: { kind: 'rate', rate: arrivalsPerSecond, process: { kind: 'poisson' } },
            work: lengths,
            seed: `truth/${seed}`,
          }),
        },
      ],
      load: { kind: 'rate', value: arrivalsPerSecond },
      requests: Math.max(least, Math.ceil(TIMES_IN_FLIGHT * inFlight)),
      objectives: {
        ...(tokensPerSecond !== undefined && { tokensPerSecond }),
        ...(ttftMs !== undefined && { ttftMs }),
      },
    })
    if (goodput === undefined) throw new Error('nothing was judged')
    return goodput.attainment
  })
  const attainment = mean(seen) ?? 0
  const variance = seen.reduce((sum, each) => sum + (each - attainment) ** 2, 0) / (SEEDS - 1)
  return { attainment, error: Math.sqrt(variance / SEEDS) }
}
