import { figure, type Run } from '../core/index.ts'
import { loadOf } from './load.ts'
import type { Table } from './points-table.ts'
import { aligned } from './points-table.ts'

type Repeats = NonNullable<Run['repeats']>[number]

const FIGURES = [
  ['tok/s/user p50', ({ tokensPerSecondPerUser }: Repeats) => tokensPerSecondPerUser],
  ['tok/s', ({ outputTokensPerSecond }: Repeats) => outputTokensPerSecond],
  ['TTFT ms p50', ({ ttftMs }: Repeats) => ttftMs],
] as const

/** One row a load that was measured several times: the mean, the interval between the repeats, and the mean one within a point. */
export function repeatsTable({ repeats = [] }: Pick<Run, 'repeats'>): Table | undefined {
  if (repeats.length === 0) return undefined
  const columns = FIGURES.flatMap(([name, of]) => {
    const seen = repeats.map(of)
    return [
      { head: [name, 'mean'], cells: aligned(seen.map((one) => one?.mean)) },
      { head: ['', '± between'], cells: seen.map((one) => side(one && (one.high - one.low) / 2)) },
      { head: ['', '± within'], cells: seen.map((one) => side(one?.within)) },
    ]
  })
  return {
    columns: [{ head: ['load'] }, { head: ['times'] }, ...columns.map(({ head }) => ({ head }))],
    rows: repeats.map((one, row) => [
      loadOf(one),
      String(one.points.length),
      ...columns.map(({ cells }) => cells[row] ?? ''),
    ]),
  }
}

const side = (half: number | undefined): string => (half === undefined ? '–' : figure(half))

/** Where repeats tell different things, each with its figures. */
export function repeatLines({ repeats = [], points }: Pick<Run, 'repeats' | 'points'>): readonly string[] {
  return repeats.flatMap((one) => {
    const apart = FIGURES.flatMap(([name, of]): string[] => (of(one)?.differ === true ? [name] : []))
    if (apart.length === 0) return []
    const outputs = one.points.flatMap((index) => points[index]?.outputTokensPerSecond ?? [])
    const range = `output was ${outputs.map(figure).join(', ')} tok/s`
    return [
      `Load ${loadOf(one)}: its repeats differ by more than their intervals explain (${apart.join(', ')}; ${range}): something changed between them.`,
    ]
  })
}
