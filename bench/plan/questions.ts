/** The fleets that are planned and then simulated: servers × products × arrivals × lengths. */
import type { Product } from '../../src/core/index.ts'
import { planFleet } from '../../src/plan/index.ts'
import { demandFor, type LengthsOfRequests, type PlannedServer, plannedServers } from './servers.ts'

export interface PlanQuestion {
  readonly server: PlannedServer
  readonly product: Product
  readonly arrivalsPerSecond: number
}

const LAWS = ['a=5ms,b=0.25ms,d=0.01ms', 'a=12ms,b=0.1ms,c=0.005ms,d=0.02ms'] as const

const LENGTHS: readonly LengthsOfRequests[] = [
  { input: { kind: 'fixed', tokens: 300 }, output: { kind: 'fixed', tokens: 200 } },
  { input: { kind: 'lognormal', median: 700, sigma: 0.8 }, output: { kind: 'lognormal', median: 200, sigma: 0.6 } },
]

const PRODUCTS: readonly Product[] = [
  { name: 'chat', goal: 'pace', tokensPerSecond: 25, ttftMs: 450 },
  { name: 'code', goal: 'pace', tokensPerSecond: 1000 / 30, ttftMs: 500 },
  { name: 'floor', goal: 'pace', tokensPerSecond: 50, share: 0.95 },
]

/** As many requests as fill so many replicas to so much: tight, for where there is room any plan holds. */
const FILLED = [
  [1, 0.95],
  [4, 0.98],
  [16, 0.95],
] as const

export const planQuestions = (): readonly PlanQuestion[] =>
  plannedServers(LAWS, LENGTHS).flatMap((server) =>
    PRODUCTS.flatMap((product) => {
      const { choice, timeInSystemS = 0 } = planFleet([server.candidate], product, demandFor(server, 1), {
        check: false,
      })
      const most = choice.concurrency / timeInSystemS
      return FILLED.map(([replicas, full]) => ({ server, product, arrivalsPerSecond: full * replicas * most }))
    }),
  )
