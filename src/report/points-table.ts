import type { Interval, Point, Run } from '../core/index.ts'
import { perWhat } from './heading.ts'
import { halfOf, sides } from './interval.ts'
import { loadOf } from './load.ts'
import type { Column } from './table.ts'
import { textTable } from './table.ts'
import { inShort, isOverlooked, missedInShort } from './words.ts'

export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

const ABSENT = '–'

/**
 * One row a load: both speeds, the wait for the first token, and the check by Little's law. Numbers of a column share their decimals, so
 * that they can be compared by eye.
 */
export function tableOf(run: Run): Table {
  const { points, fit } = run
  const perGpu = points.some((point) => point.perGpu !== undefined)
  // Of other loads the requests that came and went say more than λ·W and B, and a line is only so long.
  const isHeld = points.every(({ load }) => load.kind === 'concurrency')
  const isJudged = points.some(({ goodput }) => goodput !== undefined)
  const column = (
    head: readonly string[],
    of: (point: Point) => number | undefined,
    {
      decimals,
      interval,
    }: { readonly decimals?: number; readonly interval?: (point: Point) => Interval | undefined } = {},
  ): [Column, string[]] => {
    const values = points.map(of)
    const digits = decimals ?? decimalsOf(values)
    const halves = points.map((point, i) => {
      const [value, around] = [values[i], interval?.(point)]
      return value === undefined || around === undefined ? undefined : halfOf(value, around)
    })
    const ends = sides(halves, digits)
    return [{ head }, aligned(values, digits).map((text, i) => text + (ends[i] ?? ''))]
  }
  const past = new Set(fit?.setAside?.filter(({ why }) => why === 'serverLimit').map(({ point }) => point))
  const columns: readonly [Column, readonly string[]][] = [
    [{ head: ['load'] }, points.map(loadOf)],
    column(['tok/s/user', 'p50'], ({ perUser }) => perUser.tokensPerSecond.p50, {
      interval: ({ intervals }) => intervals?.perUser?.tokensPerSecond.p50,
    }),
    column(['90 % have', 'at least'], ({ perUser }) => perUser.tokensPerSecond.p10),
    perGpu
      ? column(['tok/s', 'per GPU'], (point) => point.perGpu?.outputTokensPerSecond, { interval: perGpuInterval })
      : column(['tok/s', perWhat(run)], (point) => point.outputTokensPerSecond, {
          interval: ({ intervals }) => intervals?.outputTokensPerSecond,
        }),
    column(['TTFT ms', 'p50'], ({ latency }) => latency.ttftMs.p50),
    column(['', 'p99'], ({ latency }) => latency.ttftMs.p99),
    ...(isHeld ? [] : [column(['requests', 'begun'], ({ requests }) => requests.sent, { decimals: 0 })]),
    ...(isHeld ? [] : [column(['done', '/s'], ({ littlesLaw }) => littlesLaw.completionsPerSecond)]),
    ...(isJudged
      ? [
          column(['objective', '% met'], ({ goodput }) => goodput && 100 * goodput.attainment, { decimals: 1 }),
          column(['good', '/s'], ({ goodput }) => goodput?.requestsPerSecond),
        ]
      : []),
    column(['in flight', 'L'], ({ littlesLaw }) => littlesLaw.inFlight, { decimals: 2 }),
    ...(isHeld ? [column(['', 'λ·W'], ({ littlesLaw }) => little(littlesLaw), { decimals: 2 })] : []),
    column(['resid.', '%'], ({ littlesLaw }) => littlesLaw.residual && 100 * littlesLaw.residual, { decimals: 1 }),
    ...(isHeld ? [column(['decoding', 'B'], ({ littlesLaw }) => littlesLaw.decodeInFlight, { decimals: 2 })] : []),
    [{ head: [''], align: 'left' }, points.map((point, i) => stateOf(point, past.has(i)))],
  ]
  return {
    columns: columns.map(([head]) => head),
    rows: orderOf(run).map((i) => columns.map(([, cells]) => cells[i] ?? '')),
  }
}

/** A search jumps about in the loads, so its rows ascend; others stand as they were asked for. */
export function orderOf({ points, search }: Pick<Run, 'points' | 'search'>): readonly number[] {
  const indices = points.map((_, i) => i)
  const load = (i: number): number => points[i]?.load.value ?? 0
  return search === undefined ? indices : indices.sort((a, b) => load(a) - load(b))
}

/** What a reader of the table must know of its signs. */
export function tableNotes({ points }: Pick<Run, 'points'>): readonly string[] {
  const isSure = ({ intervals }: Point): boolean =>
    intervals?.outputTokensPerSecond !== undefined || intervals?.perUser?.tokensPerSecond.p50 !== undefined
  return [
    ...(points.some(isSure) ? ['± is the 95 % interval, from the scatter within the window.'] : []),
    ...(points.some(({ goodput }) => goodput !== undefined)
      ? ['A request met the objective if it kept every limit; one that failed did not. Good are those that met it.']
      : []),
  ]
}

/** The table as plain text. */
export function pointsTable(run: Run): string {
  const { columns, rows } = tableOf(run)
  return textTable(columns, rows)
}

const little = ({ completionsPerSecond, timeInSystemS }: Point['littlesLaw']): number | undefined =>
  timeInSystemS === undefined ? undefined : completionsPerSecond * timeInSystemS

function stateOf(point: Point, pastLimit: boolean): string {
  const { window, generator } = point
  const missed = missedInShort(point)
  const words = [
    ...(window.steady
      ? []
      : window.reasons
          .filter((reason) => (reason !== 'unanswered' || missed.length === 0) && !isOverlooked(reason, point))
          .map(inShort)),
    ...(generator.saturated === true && !window.reasons.includes('generatorSaturated') ? ['client saturated'] : []),
    ...missed,
    ...(pastLimit ? ["past the server's limit"] : []),
  ]
  return words.length === 0 ? 'steady' : words.join(', ')
}

/** That of the whole server, over its GPUs. */
function perGpuInterval({ perGpu, outputTokensPerSecond, intervals }: Point): Interval | undefined {
  const whole = intervals?.outputTokensPerSecond
  if (whole === undefined || perGpu === undefined || outputTokensPerSecond === 0) return undefined
  const share = perGpu.outputTokensPerSecond / outputTokensPerSecond
  return { low: whole.low * share, high: whole.high * share }
}

/** Three digits of the smallest that matters: the decimals follow the largest value. */
function decimalsOf(values: readonly (number | undefined)[]): number {
  const largest = Math.max(0, ...values.map((value) => Math.abs(value ?? 0)))
  return largest >= 1000 ? 0 : largest >= 10 ? 1 : 2
}

/** Of the same decimals, so that a column lines up. */
export function aligned(values: readonly (number | undefined)[], digits: number = decimalsOf(values)): string[] {
  return values.map((value) => (value === undefined ? ABSENT : grouped(value.toFixed(digits))))
}

function grouped(number: string): string {
  const [whole = '', fraction] = number.replace(/^-(0(?:\.0*)?)$/, '$1').split('.')
  const parts = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? parts : `${parts}.${fraction}`
}
