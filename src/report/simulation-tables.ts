import { counted, figure, type Point, percent, type Run } from '../core/index.ts'
import { loadOf } from './load.ts'
import type { Table } from './points-table.ts'
import { orderOf } from './points-table.ts'

interface Seen {
  readonly point: Point
  readonly simulation: NonNullable<Point['simulation']>
}

const seenOf = (run: Pick<Run, 'points' | 'search'>): readonly Seen[] =>
  orderOf(run).flatMap((index) => {
    const point = run.points[index]
    return point?.simulation === undefined ? [] : [{ point, simulation: point.simulation }]
  })

/** Of two significant digits at least: what is little is not nothing. */
function share(value: number | undefined): string {
  if (value === undefined) return '–'
  return value > 0 && value < 0.01 ? `${figure(Number((100 * value).toPrecision(2)))} %` : percent(value)
}

/** What went on inside: one row for each load and pool, and where there is a link one for it. */
export function poolsTable(run: Pick<Run, 'points' | 'search'>): Table | undefined {
  const seen = seenOf(run)
  const pools = seen.flatMap(({ simulation }) => simulation.pools)
  if (pools.length === 0) return undefined
  const isNamed = seen.some(({ simulation }) => simulation.pools.length > 1)
  const hasCache = pools.some(({ meanKvShare }) => meanKvShare !== undefined)
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
    rows: seen.flatMap(({ point, simulation: { pools, link } }) => [
      ...pools.map((pool) => [
        loadOf(point),
        ...(isNamed ? [pool.name] : []),
        share(pool.busy),
        figure(pool.meanBatch),
        figure(pool.meanWaiting),
        ...(hasCache ? [share(pool.meanKvShare), share(pool.mostKvShare)] : []),
        figure(pool.preemptions),
        share(pool.wastedShare),
      ]),
      ...(link === undefined
        ? []
        : [
            [
              loadOf(point),
              ...(isNamed ? ['link'] : []),
              share(link.busy),
              figure(link.meanMoving),
              figure(link.meanWaiting),
              ...(hasCache ? ['–', '–'] : []),
              '–',
              '–',
            ],
          ]),
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
export function simulationNotes(run: Pick<Run, 'points' | 'search' | 'workload'>): readonly string[] {
  const seen = seenOf(run)
  const cached = seen.some(({ simulation }) => simulation.cachedTokens > 0)
  return [
    ...(seen.some(({ simulation }) => simulation.link !== undefined)
      ? ['Of the link, those in a step are the requests whose KV cache is on its way.']
      : []),
    ...seen.flatMap(bindingLink),
    ...(seen.some(({ simulation }) => simulation.preemptions > 0)
      ? ['Wasted is the share of tokens computed that had been computed before: a preempted request is read anew.']
      : []),
    ...(cached
      ? [
          `Prompt tokens that the prefix cache gave: ${seen.map(({ point, simulation }) => `${percent(simulation.cachedTokens / Math.max(1, point.tokens.input))} at load ${loadOf(point)}`).join(', ')}.`,
        ]
      : []),
    ...seen.flatMap(({ point, simulation: { prolonged } }) =>
      prolonged === undefined || prolonged.sent < WORTH_TELLING * prolonged.asked
        ? []
        : [
            `Load ${loadOf(point)}: ${figure(prolonged.sent)} requests were sent until the window closed, not ${figure(prolonged.asked)}: the load must come up first, and then go round.`,
          ],
    ),
    ...seen.flatMap(({ point, simulation: { refused } }) =>
      refused === undefined
        ? []
        : [
            `Load ${loadOf(point)}: ${counted(refused.requests, 'request')} refused, no engine could hold them. The first: ${refused.first}`,
          ],
    ),
    ...inStep(run.workload, seen),
  ]
}

/** So many times the requests that were asked for. */
const WORTH_TELLING = 1.1

/** A link is called what binds where it is busy nearly always, and more wait for it than for any pool. */
const BUSY = 0.95

function bindingLink({ point, simulation: { pools, link } }: Seen): readonly string[] {
  if (link === undefined || link.busy < BUSY || link.meanWaiting < 1) return []
  if (pools.some(({ meanWaiting }) => meanWaiting > link.meanWaiting)) return []
  return [
    `Load ${loadOf(point)}: the link between the pools is what binds: busy ${share(link.busy)} of the time, and ${figure(link.meanWaiting)} requests waited for it in the mean.`,
  ]
}

/** Where all requests are alike, and nothing but the server says when a user asks again. */
function inStep({ lanes, ...own }: Run['workload'], seen: readonly Seen[]): readonly string[] {
  const isClosed = seen.some(({ point: { load } }) => load.kind === 'concurrency' && load.value > 1)
  const asked: readonly Told[] = Array.isArray(lanes) ? lanes : [own]
  const [{ inputTokens, outputTokens } = own] = asked
  const isAlike = asked.every(
    (lane) =>
      typeof lane.inputTokens === 'number' && lane.inputTokens === inputTokens && lane.outputTokens === outputTokens,
  )
  if (!isClosed || !isAlike || typeof outputTokens !== 'number' || asked.some(isOnItsOwn)) return []
  return [
    `Requests all alike keep the users of a closed loop in step: how far apart they begin, here evenly over one turn, decides for good how their prompts meet. Begun together they would wait for each other at every turn. Lengths that differ, such as --output-tokens lognormal:${outputTokens},0.3, forget how it began.`,
  ]
}

/** Of users who think for a time that nobody knows, who talk on, or who come at a rate. */
function isOnItsOwn({ turns, think, load }: Told): boolean {
  const isRandom = think !== undefined && think.distribution !== 'constant'
  const isApart = load !== undefined && (load.kind !== 'concurrency' || load.thinkS !== undefined)
  return turns !== undefined || isRandom || isApart
}

/** What `run.json` says was asked, of all or of a lane. */
interface Told {
  readonly inputTokens?: unknown
  readonly outputTokens?: unknown
  readonly turns?: unknown
  readonly think?: { readonly distribution?: unknown }
  readonly load?: { readonly kind?: unknown; readonly thinkS?: unknown }
}
