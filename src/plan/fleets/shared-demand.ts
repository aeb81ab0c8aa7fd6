import type { Plan, Product, ProductWork } from '../../core/index.ts'
import { dayOf } from '../day/index.ts'
import { type Demand, demandOf } from '../demand.ts'
import { peakOf, poissonPeak } from '../peak.ts'
import type { AskedProduct } from './asked.ts'

/** What one load must be to hold them all: the greatest floor, the shortest wait, the greatest share. */
export function strictest(asked: readonly AskedProduct[]): Product & ProductWork {
  const products = asked.map(({ product }) => product)
  const all = (key: 'tokensPerSecond' | 'ttftMs' | 'share'): readonly number[] =>
    products.flatMap((product) => product[key] ?? [])
  const most = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : Math.max(...values)
  const [floor, share] = [most(all('tokensPerSecond')), most(all('share'))]
  const waits = all('ttftMs')
  return {
    name: products.map(({ name }) => name).join(' + '),
    goal: 'pace',
    ...(floor !== undefined && { tokensPerSecond: floor }),
    ...(waits.length > 0 && { ttftMs: Math.min(...waits) }),
    ...(share !== undefined && { share }),
  }
}

/** What one product brings to servers at a load that all share. */
export interface SharedPart {
  readonly product: Product & ProductWork
  readonly arrivalsPerSecond: number
  readonly timeInSystemS: number
  readonly inFlight: number
}

/** Each one's requests where all have the pace and the wait of one load; its users ask the less often the longer they wait. */
export function partsAt(
  asked: readonly AskedProduct[],
  { tokensPerSecondPerUser, ttftMs = 0 }: Pick<Plan['choice'], 'tokensPerSecondPerUser' | 'ttftMs'>,
): readonly SharedPart[] {
  return asked.map(({ product, demand }) => {
    const { arrivalsPerSecond, users = 0, thinkS = 0, outputTokens } = demandOf(product, demand)
    const timeInSystemS = ttftMs / 1000 + outputTokens / tokensPerSecondPerUser
    const rate = arrivalsPerSecond ?? users / (timeInSystemS + thinkS)
    return { product, arrivalsPerSecond: rate, timeInSystemS, inFlight: rate * timeInSystemS }
  })
}

/**
 * All requests as one stream: λ = Σλᵢ, lengths are means over the requests, and so L = Σλᵢ·Wᵢ, for W is straight in the length. What varies by
 * chance varies less in one pool than in several, Σ of Poisson streams being one; what is said of peaks is added up, for they may come together.
 */
export function sharedDemand(
  asked: readonly AskedProduct[],
  parts: readonly SharedPart[],
  choice: Plan['choice'],
): Demand {
  const demands = asked.map(({ product, demand }) => demandOf(product, demand))
  const arrivalsPerSecond = parts.reduce((sum, part) => sum + part.arrivalsPerSecond, 0)
  const meanOf = (lengthOf: (demand: (typeof demands)[number]) => number | undefined): number | undefined => {
    let sum = 0
    for (const [i, demand] of demands.entries()) {
      const length = lengthOf(demand)
      if (length === undefined) return undefined
      sum += (parts[i]?.arrivalsPerSecond ?? 0) * length
    }
    return sum / arrivalsPerSecond
  }
  const inputTokens = meanOf((demand) => demand.inputTokens)
  const outputTokens = meanOf((demand) => demand.outputTokens)
  const { gpuHour, kvTokens, kvBytes } = demands[0] ?? {}
  const headroom = headroomOf(demands, parts, choice)
  return {
    arrivalsPerSecond,
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(headroom !== undefined && { headroom }),
    ...(gpuHour !== undefined && { gpuHour }),
    ...(kvTokens !== undefined && { kvTokens }),
    ...(kvBytes !== undefined && { kvBytes }),
  }
}

type Asked = ReturnType<typeof demandOf>

/** Undefined where all peaks are of chance. */
function headroomOf(
  demands: readonly Asked[],
  parts: readonly SharedPart[],
  choice: Plan['choice'],
): number | undefined {
  const isSaid = ({ peakPerSecond, headroom, day }: Asked): boolean =>
    peakPerSecond !== undefined || headroom !== undefined || day !== undefined
  if (!demands.some(isSaid)) return undefined
  let [said, byChance, all] = [0, 0, 0]
  for (const [i, demand] of demands.entries()) {
    const { inFlight = 0, timeInSystemS = 0, arrivalsPerSecond = 0 } = parts[i] ?? {}
    all += inFlight
    if (!isSaid(demand)) {
      byChance += inFlight
      continue
    }
    const chosen = {
      inFlight: choice.concurrency,
      requestsPerSecond: choice.concurrency / timeInSystemS,
      timeInSystemS,
      tokensPerSecondPerUser: choice.tokensPerSecondPerUser,
      outputTokensPerSecond: arrivalsPerSecond * demand.outputTokens,
      ...(choice.ttftMs !== undefined && { ttftMs: choice.ttftMs }),
      source: choice.source,
    }
    const day = demand.day && dayOf(demand.day, { chosen }, { outputTokens: demand.outputTokens })
    said += peakOf(demand, inFlight, timeInSystemS, day).inFlight
  }
  return Math.max(0, (said + (byChance > 0 ? poissonPeak(byChance) : 0)) / all - 1)
}
