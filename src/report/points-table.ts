import type { Point, Run } from '../core/index.ts'
import { perWhat } from './heading.ts'
import { loadOf } from './load.ts'
import type { Column } from './table.ts'
import { textTable } from './table.ts'
import { inShort } from './words.ts'

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
  const column = (
    head: readonly string[],
    of: (point: Point) => number | undefined,
    decimals?: number,
  ): [Column, string[]] => [{ head }, aligned(points.map(of), decimals)]
  const past = new Set(fit?.setAside?.filter(({ why }) => why === 'serverLimit').map(({ point }) => point))
  const columns: readonly [Column, readonly string[]][] = [
    [{ head: ['load'] }, points.map(loadOf)],
    column(['tok/s/user', 'p50'], ({ perUser }) => perUser.tokensPerSecond.p50),
    column(['slow', 'p10'], ({ perUser }) => perUser.tokensPerSecond.p10),
    perGpu
      ? column(['tok/s', 'per GPU'], (point) => point.perGpu?.outputTokensPerSecond)
      : column(['tok/s', perWhat(run)], (point) => point.outputTokensPerSecond),
    column(['TTFT ms', 'p50'], ({ latency }) => latency.ttftMs.p50),
    column(['', 'p99'], ({ latency }) => latency.ttftMs.p99),
    column(['in flight', 'L'], ({ littlesLaw }) => littlesLaw.inFlight, 2),
    column(['', 'λ·W'], ({ littlesLaw }) => little(littlesLaw), 2),
    column(['resid.', '%'], ({ littlesLaw }) => littlesLaw.residual && 100 * littlesLaw.residual, 1),
    column(['decoding', 'B'], ({ littlesLaw }) => littlesLaw.decodeInFlight, 2),
    [{ head: [''], align: 'left' }, points.map((point, i) => stateOf(point, past.has(i)))],
  ]
  return {
    columns: columns.map(([head]) => head),
    rows: points.map((_, i) => columns.map(([, cells]) => cells[i] ?? '')),
  }
}

/** The table as plain text. */
export function pointsTable(run: Run): string {
  const { columns, rows } = tableOf(run)
  return textTable(columns, rows)
}

const little = ({ completionsPerSecond, timeInSystemS }: Point['littlesLaw']): number | undefined =>
  timeInSystemS === undefined ? undefined : completionsPerSecond * timeInSystemS

function stateOf({ window, generator, requests }: Point, pastLimit: boolean): string {
  const words = [
    ...(window.steady ? [] : window.reasons.map(inShort)),
    ...(generator.saturated === true && !window.reasons.includes('generatorSaturated') ? ['client saturated'] : []),
    ...(requests.failed > 0 ? [`${requests.failed} failed`] : []),
    ...(pastLimit ? ["past the server's limit"] : []),
  ]
  return words.length === 0 ? 'steady' : words.join(', ')
}

/** Three digits of the smallest that matters: the decimals follow the largest value, so that a column lines up. */
function aligned(values: readonly (number | undefined)[], decimals?: number): string[] {
  const largest = Math.max(0, ...values.map((value) => Math.abs(value ?? 0)))
  const digits = decimals ?? (largest >= 1000 ? 0 : largest >= 10 ? 1 : 2)
  return values.map((value) => (value === undefined ? ABSENT : grouped(value.toFixed(digits))))
}

function grouped(number: string): string {
  const [whole = '', fraction] = number.replace(/^-(0(?:\.0*)?)$/, '$1').split('.')
  const parts = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? parts : `${parts}.${fraction}`
}
