/** The simulator held against runs of real servers, request by request. */
import { fitBySimulation, lawStepTime, type ReplayServer, replay, type StepTime } from '../../src/sim/index.ts'
import { readText } from '../model/tables.ts'
import type { Mark, RealRunScore } from '../results.ts'
import { parseRequests, parseSeries, type RecordedRun, type ServerFacts, serversOf } from './recorded-run.ts'
import { scoreOf } from './score.ts'
import { type ProfiledModel, tableStepTime } from './table-step-time.ts'

const LLAMA = { model: 'meta-llama/Llama-3.1-8B', tp: 1, layers: 32 } as const

interface PublicRun {
  readonly name: string
  readonly file: string
  readonly facts: ServerFacts
  readonly profile: ProfiledModel
}

const RUNS: readonly PublicRun[] = [
  {
    name: 'RTX 4090, Llama-3.1-8B',
    file: 'rtx4090',
    facts: { maxNumSeqs: 256, maxBatchedTokens: 2048, kvTokens: 41_408 },
    profile: { hardware: 'RTX4090', ...LLAMA },
  },
  {
    name: 'RTX PRO 6000, Llama-3.1-8B',
    file: 'rtxpro6000',
    facts: { maxNumSeqs: 128, maxBatchedTokens: 2048 },
    profile: { hardware: 'RTXPRO6000', ...LLAMA },
  },
]

/** Of a law, or of the tables of one GPU: means, and 90th and 99th percentiles. */
const LIMITS = { fitted: { mean: 3, tail: 6 }, tables: { mean: 5, tail: 10 } } as const

export function publicRuns(): readonly RealRunScore[] {
  return RUNS.flatMap(({ name, file, facts, profile }) => {
    const run: RecordedRun = {
      name,
      requests: parseRequests(readText(`llmservingsim_vllm_requests_${file}.jsonl`)),
      instants: parseSeries(readText(`llmservingsim_vllm_timeseries_${file}.csv`)),
      servers: serversOf(facts),
    }
    return [...fittedScores(run), tablesScore(run, tableStepTime(profile))]
  })
}

/** By the first third of the requests, and by the series where there is one. Both are scored on the other two thirds. */
export function fittedScores(run: RecordedRun): readonly RealRunScore[] {
  const { requests, instants, servers, experts } = run
  const third = Math.floor(requests.length / 3)
  const load = requests.map(({ outcome: _, ...request }) => request)
  const told = [...requests.slice(0, third), ...load.slice(third)]
  const of = { servers, ...(experts !== undefined && { experts }) }
  const fits = [
    { from: 'its first third', fit: fitBySimulation({ requests: told, ...of }) },
    ...(instants.length === 0
      ? []
      : [{ from: 'its series', fit: fitBySimulation({ requests: load, instants, ...of }) }]),
  ]
  return fits.map(({ from, fit: { law, server, misfits } }) => {
    const best = Math.min(...misfits)
    return { ...scored(run, from, server, lawStepTime(law), third), law, misfit: best }
  })
}

const tablesScore = (run: RecordedRun, stepTime: StepTime): RealRunScore =>
  scored(run, 'kernel tables', run.servers[0] as ReplayServer, stepTime, 0)

function scored(
  { name, requests }: RecordedRun,
  from: string,
  server: ReplayServer,
  stepTime: StepTime,
  scoredFrom: number,
): RealRunScore {
  const played = replay(requests, server, stepTime)
  return {
    run: name,
    from,
    requests: requests.length - scoredFrom,
    asynchronous: server.policy.asynchronous,
    preemptions: played.preemptions,
    times: scoreOf(requests, played, scoredFrom),
  }
}

export function marksOf(scores: readonly RealRunScore[]): readonly Mark[] {
  return scores
    .filter(({ from, run }) => from !== 'kernel tables' || run.startsWith('RTX 4090'))
    .flatMap(({ run, from, times }) => {
      const { mean, tail } = from === 'kernel tables' ? LIMITS.tables : LIMITS.fitted
      const worst = (values: readonly number[]): number => Math.max(...values.map(Math.abs))
      const mark = (what: string, off: number, limit: number): Mark => ({
        name: `${run}, from ${from}: ${what}`,
        value: `${off.toFixed(1)} %`,
        limit: `≤ ${limit} %`,
        pass: off <= limit,
      })
      return [
        mark('worst mean', worst(times.map((time) => time.mean.errorPct)), mean),
        mark('worst p90 or p99', worst(times.flatMap(({ p90, p99 }) => [p90.errorPct, p99.errorPct])), tail),
      ]
    })
}
