import { figure, type Run } from '../core/index.ts'
import { perWhat } from './heading.ts'
import { loadOf } from './load.ts'
import type { Table } from './points-table.ts'
import { aligned } from './points-table.ts'

type Repeats = NonNullable<Run['repeats']>[number]

const FIGURES = [
  { name: 'tok/s/user p50', head: ['tok/s/user', 'p50'], of: (one: Repeats) => one.tokensPerSecondPerUser },
  { name: 'tok/s', of: (one: Repeats) => one.outputTokensPerSecond },
  { name: 'TTFT ms p50', head: ['TTFT ms', 'p50'], of: (one: Repeats) => one.ttftMs },
] as const

/** One row a load that was measured several times: the mean, the interval between the repeats, and the mean one within a point. */
export function repeatsTable(run: Run): Table | undefined {
  const { repeats = [], hardware } = run
  if (repeats.length === 0) return undefined
  const per = perWhat(run)
  const columns = FIGURES.flatMap((each) => {
    const seen = repeats.map(each.of)
    const [head, gpus] = 'head' in each ? [each.head, 1] : [['tok/s', `per ${per}`], hardware.gpus ?? 1]
    return [
      { head: [...head, 'mean'], cells: aligned(seen.map((one) => one && one.mean / gpus)) },
      { head: ['±', 'between'], cells: seen.map((one) => side(one && (one.high - one.low) / 2 / gpus)) },
      { head: ['±', 'within'], cells: seen.map((one) => side(one?.within && one.within / gpus)) },
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
    const apart = FIGURES.flatMap(({ name, of }): string[] => (of(one)?.differ === true ? [name] : []))
    if (apart.length === 0) return []
    const outputs = one.points.flatMap((index) => points[index]?.outputTokensPerSecond ?? [])
    const range = `output was ${outputs.map(figure).join(', ')} tok/s in all`
    return [
      `Load ${loadOf(one)}: its repeats differ by more than their intervals explain (${apart.join(', ')}; ${range}): something changed between them.`,
    ]
  })
}
