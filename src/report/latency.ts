import { figure, type LatencySummary, type Point, type Run } from '../core/index.ts'
import { loadOf } from './load.ts'
import { aligned, orderOf, type Table } from './points-table.ts'

/** The latencies of a point, by name; those without a sample are left out. */
export function latenciesOf({ latency }: Point): readonly (readonly [name: string, summary: LatencySummary])[] {
  const named = [
    ['TTFT', latency.ttftMs],
    ['TTFT from schedule', latency.ttftFromScheduledMs],
    ['TPOT', latency.tpotMs],
    ['TPOT after the first event', latency.tpotAfterFirstEventMs],
    ['ITL, between events', latency.itlMs],
    ['ITL, per token', latency.itlPerTokenMs],
    ['E2E', latency.e2eMs],
    ['connect', latency.connectMs],
  ] as const
  return named.flatMap(([name, summary]) => (summary?.mean === undefined ? [] : [[name, summary] as const]))
}

/** The four that everybody asks for, at their middle and far ends; one row a load. */
export function latencyTable(run: Pick<Run, 'points' | 'search'>): Table {
  const points = orderOf(run).flatMap((index) => run.points[index] ?? [])
  const kinds = [
    ['TTFT', ({ latency }: Point) => latency.ttftMs],
    ['TPOT', ({ latency }: Point) => latency.tpotMs],
    ['ITL', ({ latency }: Point) => latency.itlMs],
    ['E2E', ({ latency }: Point) => latency.e2eMs],
  ] as const
  const columns = kinds.flatMap(([name, of]) => [
    { head: [name, 'p50'], cells: aligned(points.map((point) => of(point).p50)) },
    { head: ['', 'p99'], cells: aligned(points.map((point) => of(point).p99)) },
  ])
  return {
    columns: [{ head: ['load'] }, ...columns.map(({ head }) => ({ head }))],
    rows: points.map((point, row) => [loadOf(point), ...columns.map(({ cells }) => cells[row] ?? '')]),
  }
}

export function latencyCells({ mean, p50, p90, p95, p99, max }: LatencySummary): readonly string[] {
  return [mean, p50, p90, p95, p99, max].map((value) => (value === undefined ? '–' : figure(value)))
}
