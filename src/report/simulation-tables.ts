import { counted, figure, type Point, percent, type Run } from '../core/index.ts'
import { loadOf } from './load.ts'
import type { Table } from './points-table.ts'
import { orderOf } from './points-table.ts'

/** A run of the simulator, in which no server took part at all. */
export const isOfSimulator = ({ points }: Pick<Run, 'points'>): boolean =>
  points.some(({ simulation }) => simulation !== undefined)

interface Seen {
  readonly point: Point
  readonly simulation: NonNullable<Point['simulation']>
}

const seenOf = (run: Pick<Run, 'points' | 'search'>): readonly Seen[] =>
  orderOf(run).flatMap((index) => {
    const point = run.points[index]
    return point?.simulation === undefined ? [] : [{ point, simulation: point.simulation }]
  })

const share = (value: number | undefined): string => (value === undefined ? '–' : percent(value))

/** What went on inside: one row for each load and pool. */
export function poolsTable(run: Pick<Run, 'points' | 'search'>): Table | undefined {
  const seen = seenOf(run)
  const pools = seen.flatMap(({ point, simulation }) => simulation.pools.map((pool) => ({ point, pool })))
  if (pools.length === 0) return undefined
  const isNamed = seen.some(({ simulation }) => simulation.pools.length > 1)
  const hasCache = pools.some(({ pool }) => pool.meanKvShare !== undefined)
  return {
    columns: [
      { head: ['load'] },
      ...(isNamed ? [{ head: ['pool'], align: 'left' as const }] : []),
      { head: ['busy'] },
      { head: ['in a step', 'mean'] },
      { head: ['waiting', 'mean'] },
      ...(hasCache ? [{ head: ['KV held', 'mean'] }, { head: ['', 'most'] }] : []),
      { head: ['preempted', 'times'] },
      { head: ['wasted'] },
    ],
    rows: pools.map(({ point, pool }) => [
      loadOf(point),
      ...(isNamed ? [pool.name] : []),
      percent(pool.busy),
      figure(pool.meanBatch),
      figure(pool.meanWaiting),
      ...(hasCache ? [share(pool.meanKvShare), share(pool.mostKvShare)] : []),
      figure(pool.preemptions),
      percent(pool.wastedShare),
    ]),
  }
}

/** Both speeds of each lane by itself, where there are several. */
export function lanesTable(run: Pick<Run, 'points' | 'search' | 'hardware'>): Table | undefined {
  const rows = seenOf(run).flatMap(({ point, simulation }) => (simulation.lanes ?? []).map((lane) => ({ point, lane })))
  if (rows.length === 0) return undefined
  const isJudged = rows.some(({ lane }) => lane.goodput !== undefined)
  const known = (value: number | undefined): string => (value === undefined ? '–' : figure(value))
  return {
    columns: [
      { head: ['load'] },
      { head: ['lane'], align: 'left' },
      { head: ['tok/s/user', 'p50'] },
      { head: ['90 % have', 'at least'] },
      { head: ['tok/s', run.hardware.gpus === undefined ? 'server' : 'per GPU'] },
      { head: ['TTFT ms', 'p50'] },
      { head: ['', 'p99'] },
      { head: ['done', '/s'] },
      { head: ['in flight', 'L'] },
      ...(isJudged ? [{ head: ['objective', 'met'] }] : []),
    ],
    rows: rows.map(({ point, lane }) => [
      loadOf(point),
      lane.name,
      known(lane.perUser.tokensPerSecond.p50),
      known(lane.perUser.tokensPerSecond.p10),
      figure(lane.perGpu?.outputTokensPerSecond ?? lane.outputTokensPerSecond),
      known(lane.latency.ttftMs.p50),
      known(lane.latency.ttftMs.p99),
      figure(lane.littlesLaw.completionsPerSecond),
      figure(lane.littlesLaw.inFlight),
      ...(isJudged ? [share(lane.goodput?.attainment)] : []),
    ]),
  }
}

/** What a reader of both must know. */
export function simulationNotes(run: Pick<Run, 'points' | 'search'>): readonly string[] {
  const seen = seenOf(run)
  const cached = seen.some(({ simulation }) => simulation.cachedTokens > 0)
  return [
    ...(seen.some(({ simulation }) => simulation.preemptions > 0)
      ? ['Wasted is the share of tokens computed that had been computed before: a preempted request is read anew.']
      : []),
    ...(cached
      ? [
          `Prompt tokens that the prefix cache gave: ${seen.map(({ point, simulation }) => `${percent(simulation.cachedTokens / Math.max(1, point.tokens.input))} at load ${loadOf(point)}`).join(', ')}.`,
        ]
      : []),
    ...seen.flatMap(({ point, simulation: { refused } }) =>
      refused === undefined
        ? []
        : [
            `Load ${loadOf(point)}: ${counted(refused.requests, 'request')} refused, no engine could hold them. The first: ${refused.first}`,
          ],
    ),
  ]
}
