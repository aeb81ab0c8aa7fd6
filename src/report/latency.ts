import { figure, type LatencySummary, type Point } from '../core/index.ts'

/** The latencies of a point, by name; those without a sample are left out. */
export function latenciesOf({ latency }: Point): readonly (readonly [name: string, summary: LatencySummary])[] {
  const named = [
    ['TTFT', latency.ttftMs],
    ['TTFT from schedule', latency.ttftFromScheduledMs],
    ['TPOT', latency.tpotMs],
    ['TPOT after the first event', latency.tpotAfterFirstEventMs],
    ['gap between events', latency.itlMs],
    ['gap per token', latency.itlPerTokenMs],
    ['end to end', latency.e2eMs],
    ['connect', latency.connectMs],
  ] as const
  return named.flatMap(([name, summary]) => (summary?.mean === undefined ? [] : [[name, summary] as const]))
}

export function latencyCells({ mean, p50, p90, p95, p99, max }: LatencySummary): readonly string[] {
  return [mean, p50, p90, p95, p99, max].map((value) => (value === undefined ? '–' : figure(value)))
}
