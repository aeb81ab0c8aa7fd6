/**
 * Servers whose law is known here, and to the plan only as to whoever measured them: seven loads of a closed loop, both speeds and the first
 * token. Nothing of the law is handed over.
 */
import { type Lengths, meanLength, type PointsRow } from '../../src/core/index.ts'
import { type Law, parseLaw } from '../../src/model/index.ts'
import { type Candidate, type Demand, evidenceOfRows, measuredCandidate } from '../../src/plan/index.ts'
import { createSource, enginePolicy, type Fleet, lawStepTime, simulate } from '../../src/sim/index.ts'

export interface LengthsOfRequests {
  readonly input: Lengths
  readonly output: Lengths
}

export interface PlannedServer {
  readonly law: string
  readonly lengths: LengthsOfRequests
  readonly candidate: Candidate
}

const LOADS = [1, 4, 12, 32, 64, 128, 256] as const
/** Of each load: so many, and so many of each user. */
const REQUESTS = 1000
const EACH = 8

export const plannedServers = (
  laws: readonly string[],
  lengths: readonly LengthsOfRequests[],
): readonly PlannedServer[] =>
  laws.flatMap((law) => lengths.map((each) => ({ law, lengths: each, candidate: measuredServer(law, each) })))

function measuredServer(text: string, lengths: LengthsOfRequests): Candidate {
  const law = parseLaw(text)
  const rows = LOADS.map((users) => rowOf(law, lengths, users))
  const evidence = evidenceOfRows(rows, {
    gpus: 1,
    lengths: { input: meanLength(lengths.input), output: meanLength(lengths.output) },
  })
  return measuredCandidate(evidence, { name: text, kind: 'measured' })
}

function rowOf(law: Law, work: LengthsOfRequests, users: number): PointsRow {
  const { outputTokensPerSecond, latency, littlesLaw } = simulate({
    fleet: fleetOf(law, 1),
    lanes: [
      {
        name: 'all',
        priority: 0,
        users,
        source: createSource({ arrivals: { kind: 'users', users }, work, seed: `measured/${users}` }),
      },
    ],
    load: { kind: 'concurrency', value: users },
    requests: Math.max(REQUESTS, EACH * users),
  })
  const pace = littlesLaw.decodeTokensPerSecondPerUser
  const ttftMs = latency.ttftMs?.p50
  if (pace === undefined || ttftMs === undefined) throw new Error(`${users} users were not measured`)
  return { concurrency: users, outputTokensPerSecond, tokensPerSecondPerUser: pace, ttftMs }
}

/** What a plan is told of so many requests a second. */
export const demandFor = ({ lengths }: PlannedServer, arrivalsPerSecond: number): Demand => ({
  arrivalsPerSecond,
  inputTokens: meanLength(lengths.input),
  outputTokens: meanLength(lengths.output),
})

/** So many of them, as `simulate` runs a law by default. */
export const fleetOf = (law: Law, replicas: number): Fleet => ({
  routing: 'leastInFlight',
  pools: [
    {
      name: 'server',
      role: 'both',
      replicas,
      dataParallel: 1,
      gpusPerReplica: 1,
      policy: enginePolicy(),
      stepTime: lawStepTime(law),
    },
  ],
})
