import type { Run } from '../core/index.ts'
import { evidenceOfRun } from '../plan/index.ts'
import { conclusionsOf } from './conclusions.ts'
import { measuredOn, titleOf } from './heading.ts'
import { lawLines } from './law-lines.ts'
import { pointsTable, tableNotes } from './points-table.ts'
import { repeatLines, repeatsTable } from './repeats-table.ts'
import { searchLines } from './search-text.ts'
import { simulationDoubts } from './simulation-doubts.ts'
import { lanesTable, poolsTable, simulationNotes } from './simulation-tables.ts'
import { textTable } from './table.ts'
import { warningLines } from './words.ts'

/** A whole run for a terminal: what was measured, the table, what to doubt, the law, one sentence for each product. */
export function textReport(run: Run): string {
  const repeats = repeatsTable(run)
  const [lanes, pools] = [lanesTable(run), poolsTable(run)]
  const parts = [
    [titleOf(run), measuredOn(run).join(' · ')],
    [pointsTable(run), ...tableNotes(run)],
    lanes === undefined ? [] : ['Each lane', textTable(lanes.columns, lanes.rows)],
    pools === undefined ? [] : ['Inside the fleet', textTable(pools.columns, pools.rows), ...simulationNotes(run)],
    repeats === undefined ? [] : ['Repeats of each load', textTable(repeats.columns, repeats.rows)],
    [...warningLines(run), ...simulationDoubts(run), ...repeatLines(run)],
    lawLines(run),
    searchLines(run),
    conclusionsOf(run, evidenceOfRun(run)).map(({ sentence }) => sentence),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
