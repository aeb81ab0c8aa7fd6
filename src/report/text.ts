import type { Run } from '../core/index.ts'
import { sentences } from '../plan/index.ts'
import { lengthsOf, measuredOn, titleOf } from './heading.ts'
import { lawLines } from './law-lines.ts'
import { pointsTable } from './points-table.ts'
import { warningLines } from './words.ts'

/** A whole run for a terminal: what was measured, the table, what to doubt, the law, one sentence for each product. */
export function textReport(run: Run): string {
  const parts = [
    [titleOf(run), [...measuredOn(run), lengthsOf(run)].filter(Boolean).join(' · ')],
    [pointsTable(run)],
    warningLines(run),
    lawLines(run),
    sentences(run),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
