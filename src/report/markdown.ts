import type { Point, Run } from '../core/index.ts'
import { evidenceOfRun } from '../plan/index.ts'
import { conclusionsOf } from './conclusions.ts'
import { measuredOn, titleOf } from './heading.ts'
import { latenciesOf, latencyCells } from './latency.ts'
import { lawLines } from './law-lines.ts'
import { loadOf } from './load.ts'
import { tableNotes, tableOf } from './points-table.ts'
import { repeatLines, repeatsTable } from './repeats-table.ts'
import { searchLines } from './search-text.ts'
import { simulationDoubts } from './simulation-doubts.ts'
import { lanesTable, poolsTable, simulationNotes } from './simulation-tables.ts'
import { escapeMarkdown, markdownTable } from './table.ts'
import { warningLines } from './words.ts'

/** A run as Markdown, for a README or a review. Text from outside is escaped, so that a model's name cannot make a link. */
export function markdownReport(run: Run): string {
  const { columns, rows } = tableOf(run)
  const repeats = repeatsTable(run)
  const [lanes, pools] = [lanesTable(run), poolsTable(run)]
  const conclusions = conclusionsOf(run, evidenceOfRun(run)).map(({ sentence }) => sentence)
  const warnings = [...warningLines(run), ...simulationDoubts(run), ...repeatLines(run)].map(
    (line) => `- ${escapeMarkdown(line)}`,
  )
  const parts = [
    `# ${escapeMarkdown(titleOf(run))}`,
    measuredOn(run).map(escapeMarkdown).join(' · '),
    markdownTable(columns, rows),
    tableNotes(run).map(escapeMarkdown).join('\n'),
    warnings.join('\n'),
    lanes === undefined
      ? ''
      : `## Lanes\n\n${markdownTable(
          lanes.columns,
          lanes.rows.map((row) => row.map(escapeMarkdown)),
        )}`,
    pools === undefined
      ? ''
      : `## Inside the fleet\n\n${markdownTable(
          pools.columns,
          pools.rows.map((row) => row.map(escapeMarkdown)),
        )}`,
    simulationNotes(run).map(escapeMarkdown).join('\n'),
    repeats === undefined ? '' : `## Repeats\n\n${markdownTable(repeats.columns, repeats.rows)}`,
    `## The law\n\n${lawLines(run)
      .map((line) => `- ${escapeMarkdown(line)}`)
      .join('\n')}`,
    `## Where to run\n\n${[...searchLines(run), ...conclusions].map((line) => `- ${escapeMarkdown(line)}`).join('\n')}`,
    `## Latency\n\n${markdownTable(latencyHead, run.points.flatMap(latencyRows))}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const latencyHead = [
  { head: ['load'] },
  { head: ['ms'], align: 'left' as const },
  ...['mean', 'p50', 'p90', 'p95', 'p99', 'max'].map((head) => ({ head: [head] })),
]

function latencyRows(point: Point): readonly (readonly string[])[] {
  return latenciesOf(point).map(([name, summary]) => [loadOf(point), name, ...latencyCells(summary)])
}
