import { mean, TwospeedError } from '../../core/index.ts'
import { type Law, touchedShare } from '../../model/index.ts'
import { lawStepTime } from '../step/law-step-time.ts'
import { type Minimum, minimise } from './minimise.ts'
import { instantMisfit, requestMisfit } from './misfit.ts'
import type { ObservedInstant, ObservedRequest } from './observed.ts'
import { type ReplayServer, replay } from './replay.ts'

export interface SimulationFitOptions {
  /** The whole load, in order of arrival; fitted is to those that have an outcome. */
  readonly requests: readonly ObservedRequest[]
  /** What the server said of itself; fitted is to that too. */
  readonly instants?: readonly ObservedInstant[]
  /** How it may have worked: the one that explains best what was observed is taken. */
  readonly servers: readonly ReplayServer[]
  /** Of a mixture of experts: how many of how many a token is sent to. */
  readonly experts?: { readonly active: number; readonly all: number }
}

export interface SimulationFit {
  readonly law: Law
  readonly server: ReplayServer
  /** 0 where the replay is what was observed; of each server, in their order. */
  readonly misfits: readonly number[]
}

/** Sequences and cache against the base, in what a typical step takes: both little, both as much. */
const STARTS = [
  [0.1, 0.3],
  [0.5, 0.5],
]
/** Runs of the simulator from each start, and in each round from the best on, where the simplex is set up anew and smaller. */
const FIRST_RUNS = 90
const ROUNDS = 3
const ROUND_RUNS = 80
/** How far the simplex reaches at first. */
const LEAD_SIZE_S = 0.3
const STEP_SIZES = [0.1, 0.5]
const SHARE_SIZE = 1

/**
 * The law whose *simulated outcome* is nearest to what a real server did. Under load a request's times are mostly those of others: of a
 * queue, of preemptions, of prompts in its steps. So no step time can be read off a record; but the whole load can be played again with
 * any law, and the law be moved until the same comes out.
 *
 * Different terms may give the same run (a higher base, a lower share of each sequence): judge what comes out, not the terms.
 *
 * @throws TwospeedError `INVALID_VALUE`, with all that is wrong; `NEVER_FITS`, where no server given could hold every request
 */
export function fitBySimulation(options: SimulationFitOptions): SimulationFit {
  check(options)
  const fits = options.servers.map((server) => fitOf(options, server))
  const [best] = [...fits.keys()].sort((a, b) => (fits[a]?.value ?? 0) - (fits[b]?.value ?? 0))
  const { at } = fits[best as number] as Minimum
  return {
    law: lawOf(
      at,
      typicalStep(options.requests, options.instants ?? [], options.servers[best as number] as ReplayServer),
      options.experts,
    ),
    server: options.servers[best as number] as ReplayServer,
    misfits: fits.map(({ value }) => value),
  }
}

function fitOf({ requests, instants = [], experts }: SimulationFitOptions, server: ReplayServer): Minimum {
  const step = typicalStep(requests, instants, server)
  const misfit = (at: readonly number[]): number => {
    const leadS = instants.length === 0 ? 0 : (at[0] ?? 0)
    const seen = instants.map(({ atS }) => atS - leadS)
    const played = replay(requests, server, lawStepTime(lawOf(at, step, experts)), seen)
    if (played.unanswered > 0) throw neverFits(played.unanswered)
    const ofInstants = instants.length === 0 ? 0 : instantMisfit(instants, requests, played, leadS)
    return requestMisfit(requests, played) + ofInstants
  }
  const starts = STARTS.map((shares) => {
    const [perSequence = 0, cache = 0] = shares
    return [0, 0, Math.log(1 / 500), Math.log(perSequence), Math.log(cache), ...(experts === undefined ? [] : [0])]
  })
  const size = [instants.length === 0 ? 0 : LEAD_SIZE_S, ...STEP_SIZES]
  const sizes = starts[0]?.map((_, i) => size[i] ?? SHARE_SIZE) ?? []
  const first = starts.map((start) => minimise(misfit, start, sizes, FIRST_RUNS))
  let found = first.reduce((best, other) => (other.value < best.value ? other : best))
  for (let round = 0; round < ROUNDS; round++) {
    const smaller = sizes.map((x) => x / 2 ** (round + 1))
    found = minimise(misfit, found.at, smaller, ROUND_RUNS)
  }
  return found
}

/** What a step of the run had to do, in the mean: where its time is best known. */
interface TypicalStep {
  readonly seconds: number
  readonly batch: number
  readonly kvTokens: number
}

/**
 * The variables: the clock's lead, then ln of the typical step's time against a first guess of it, of a prompt token's against the
 * step's, of what its sequences, its cache and its experts take of it against the base. So the time that is known best is one variable
 * and how it is shared out, which a run hardly tells, are the others; and no term is negative.
 */
function lawOf(at: readonly number[], step: TypicalStep, experts: SimulationFitOptions['experts']): Law {
  const [, ofStep = 1, ofPrompt = 0, ofBatch = 0, ofCache = 0, ofExperts] = at.map(Math.exp)
  const stepS = step.seconds * ofStep
  const baseS = stepS / (1 + ofBatch + ofCache + (ofExperts ?? 0))
  const law = {
    baseS,
    perSequenceS: (baseS * ofBatch) / step.batch,
    perThousandKvTokensS: ((baseS * ofCache) / step.kvTokens) * 1000,
    perPrefillTokenS: stepS * ofPrompt,
  }
  if (experts === undefined || ofExperts === undefined) return law
  return { ...law, experts: { ...experts, seconds: (baseS * ofExperts) / touchedShare(experts, step.batch) } }
}

function typicalStep(
  requests: readonly ObservedRequest[],
  instants: readonly ObservedInstant[],
  { policy, dataParallel }: ReplayServer,
): TypicalStep {
  const paces = requests.flatMap(({ outputTokens, outcome }) =>
    outcome === undefined || outputTokens < 2 ? [] : [(outcome.lastTokenS - outcome.firstTokenS) / (outputTokens - 1)],
  )
  const running = mean(instants.map((row) => row.running)) ?? 0
  const made = instants.reduce((sum, row) => sum + row.outputTokens, 0)
  const spanS = (instants.at(-1)?.atS ?? 0) - (instants[0]?.atS ?? 0)
  const context = mean(requests.map(({ promptTokens, outputTokens }) => promptTokens + outputTokens / 2)) ?? 0
  const seconds = mean(paces) ?? (running * spanS) / made
  const most = Math.min(policy.maxNumSeqs, policy.kvTokens / context)
  const batch = Math.min(most, (running || requests.length / 2) / dataParallel)
  return { seconds, batch, kvTokens: batch * context }
}

function check({ requests, instants = [], servers }: SimulationFitOptions): void {
  const problems: string[] = []
  if (servers.length === 0) problems.push('no server is given')
  const unordered = requests.findIndex(({ atS }, i) => i > 0 && atS < (requests[i - 1]?.atS ?? 0))
  if (unordered !== -1) problems.push(`request ${unordered + 1} comes before the one ahead of it`)
  const backwards = requests.findIndex(
    ({ atS, outcome }) =>
      outcome !== undefined && !(outcome.firstTokenS > atS && outcome.lastTokenS >= outcome.firstTokenS),
  )
  if (backwards !== -1) {
    problems.push(`request ${backwards + 1} has its first token before it came, or its last before its first`)
  }
  const decoded = requests.some(({ outputTokens, outcome }) => outcome !== undefined && outputTokens > 1)
  const told = instants.some(({ running }) => running > 0) && instants.some(({ outputTokens }) => outputTokens > 0)
  if (!decoded && !told) problems.push('nothing was observed that a step time could be found from')
  if (problems.length === 0) return
  throw new TwospeedError('INVALID_VALUE', `${problems.join('; ')}.`, 'Set right what is named; all of it is.')
}

function neverFits(unanswered: number): TwospeedError {
  return new TwospeedError(
    'NEVER_FITS',
    `${unanswered} of the requests are longer than the KV cache of the server given.`,
    'They were answered, so its KV cache is larger.',
  )
}
