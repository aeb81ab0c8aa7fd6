/** How far a simulated run is from the recorded one. */
import { mean, percentile } from '../../src/core/index.ts'
import type { Replay } from '../../src/sim/index.ts'
import type { Answered } from './recorded-run.ts'

const TIMES = ['ttft', 'tpot', 'e2e'] as const
type Time = (typeof TIMES)[number]

export interface FigureScore {
  readonly measuredS: number
  readonly simulatedS: number
  /** 100 · (simulated ÷ measured − 1). */
  readonly errorPct: number
}

export interface TimeScore {
  readonly time: Time
  readonly mean: FigureScore
  readonly p50: FigureScore
  readonly p90: FigureScore
  readonly p99: FigureScore
}

interface Times {
  readonly atS: number
  readonly firstTokenS: number
  readonly lastTokenS: number
  readonly outputTokens: number
}

const OF: Readonly<Record<Time, (times: Times) => number>> = {
  ttft: ({ atS, firstTokenS }) => firstTokenS - atS,
  tpot: ({ firstTokenS, lastTokenS, outputTokens }) => (lastTokenS - firstTokenS) / (outputTokens - 1),
  e2e: ({ atS, lastTokenS }) => lastTokenS - atS,
}

/** Of the requests from index `from` on: those that no law was fitted to. */
export function scoreOf(requests: readonly Answered[], played: Replay, from: number): readonly TimeScore[] {
  const measured = requests.map(({ outcome, ...request }) => ({ ...request, ...outcome })).slice(from)
  const simulated = measured.map((times, i) => ({
    ...times,
    firstTokenS: played.firstTokenS[from + i] ?? 0,
    lastTokenS: played.lastTokenS[from + i] ?? 0,
  }))
  return TIMES.map((time) => {
    const [truth, ours] = [measured, simulated].map((rows) =>
      rows
        .filter(({ outputTokens }) => time !== 'tpot' || outputTokens > 1)
        .map(OF[time])
        .sort((a, b) => a - b),
    ) as [number[], number[]]
    const compared = (of: (sorted: readonly number[]) => number | undefined): FigureScore => {
      const [measuredS = 0, simulatedS = 0] = [of(truth), of(ours)]
      return { measuredS, simulatedS, errorPct: 100 * (simulatedS / measuredS - 1) }
    }
    const at = (p: number): FigureScore => compared((sorted) => percentile(sorted, p))
    return { time, mean: compared(mean), p50: at(50), p90: at(90), p99: at(99) }
  })
}
