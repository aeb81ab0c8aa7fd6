/** How far a measured point and the server's own log agree. */
import type { Point } from '../src/core/index.ts'
import { percentiles } from './figures.ts'
import { joinTruth, type MeasuredRecord, type TruthLine, truthTotals } from './truth.ts'

export interface ErrorSummary {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Agreement {
  readonly requests: number
  /** Records that the server does not know, or that have not as many token-bearing events as it wrote tokens. */
  readonly unmatched: number
  /** |measured − true|, ms: of each request's TTFT and TPOT, and of the arrival of each token against its writing. */
  readonly ttftMs: ErrorSummary
  readonly tpotMs: ErrorSummary
  readonly tokenMs: ErrorSummary
  /** Measured ÷ true − 1. */
  readonly throughput: number
  readonly inFlight: number
  readonly lambdaW: number
}

function summarise(errors: readonly number[]): ErrorSummary {
  const at = percentiles(errors.map(Math.abs))
  return { p50: at(50), p99: at(99), max: at(100) }
}

/** `records`: of this point, all of them; latencies are compared for those that began inside the window. */
export function agreementOf(
  point: Point,
  records: readonly MeasuredRecord[],
  truth: ReadonlyMap<string, TruthLine>,
  originNs: number,
): Agreement {
  const { startS, endS } = point.window
  const begunInside = records.filter(({ sentS }) => sentS >= startS && sentS < endS)
  const { requests, unmatched } = joinTruth(truth, begunInside, originNs)
  const totals = truthTotals(truth.values(), point.window, originNs)
  const { inFlight, completionsPerSecond, timeInSystemS = Number.NaN } = point.littlesLaw
  return {
    requests: requests.length,
    unmatched: unmatched.length,
    ttftMs: summarise(requests.map(({ ttftMs }) => ttftMs)),
    tpotMs: summarise(requests.flatMap(({ tpotMs }) => tpotMs ?? [])),
    tokenMs: summarise(requests.flatMap(({ tokenMs }) => tokenMs)),
    throughput: point.outputTokensPerSecond / totals.tokensPerSecond - 1,
    inFlight: inFlight / totals.inFlight - 1,
    lambdaW: (completionsPerSecond * timeInSystemS) / (totals.completionsPerSecond * totals.timeInSystemS) - 1,
  }
}
