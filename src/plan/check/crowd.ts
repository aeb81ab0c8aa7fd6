import { arrivalsOf, createRandom, drawLength, type LengthPair, type Lengths } from '../../core/index.ts'
import type { Arrival, Source } from '../../sim/index.ts'

export interface RequestLengths {
  readonly input: Lengths
  readonly output: Lengths
  /** In place of both: drawn from these. */
  readonly pairs?: readonly LengthPair[]
}

export interface CrowdPlan {
  readonly lengths: RequestLengths
  /** Requests a second while so many are in flight. */
  rateAt(inFlight: number, atS: number): number
  /** CV² of the gaps, variance over squared mean: 1 of people who do not know of each other, less where many more than these come. */
  readonly unevenness: number
  readonly seed: string
}

/**
 * Requests of a crowd whose rate may depend on how many of it wait for answers. One comes whenever the rate has added up to the next turn
 *
 *     ∫ rate dt = g₁ + … + gₙ,    gaps g of mean 1
 *
 * so that from one seed the same lengths come in the same order whatever the rate: fleets are compared under the same luck. Of U users
 * who each pause by chance, Z in the mean, the rate is (U − in flight) / Z and the gaps are exponential.
 */
export function createCrowd({ lengths, rateAt, unevenness, seed }: CrowdPlan): Source {
  const random = createRandom(`${seed}/lengths`)
  const process = { kind: 'gamma', burstiness: 1 / unevenness } as const
  const turns = arrivalsOf({ process, rate: 1, seed: `${seed}/arrivals` })
  let turn = turns.next().value
  let left = turn
  let inFlight = 0
  let atS = 0
  let rate = rateAt(0, 0)
  let nextS = 0
  const schedule = (): void => {
    rate = rateAt(inFlight, atS)
    nextS = rate > 0 ? Math.max(atS, Math.round((atS + left / rate) * 1e6) / 1e6) : Number.POSITIVE_INFINITY
  }
  schedule()
  return {
    get nextS() {
      return nextS
    },
    take: (): Arrival => {
      atS = nextS
      inFlight++
      const next = turns.next().value
      left = next - turn
      turn = next
      schedule()
      const pair = lengths.pairs?.[random.below(lengths.pairs.length)]
      const promptTokens = pair?.inputTokens ?? drawLength(lengths.input, random)
      return { atS, promptTokens, outputTokens: pair?.outputTokens ?? drawLength(lengths.output, random) }
    },
    ended: (_, endS) => {
      left = Math.max(0, left - rate * Math.max(0, endS - atS))
      atS = Math.max(atS, endS)
      inFlight--
      schedule()
    },
  }
}
