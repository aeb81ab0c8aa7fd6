import { figure, percent, portion } from '../../core/index.ts'
import type { Evidence } from '../../plan/index.ts'
import { linesOfLaw } from '../law-lines.ts'
import type { Table } from '../points-table.ts'
import { plain, type Section, sentences } from './document.ts'

/** What was measured, and the law of it. */
export function loadsSections(evidence: Evidence | undefined): readonly Section[] {
  if (evidence === undefined) return []
  const name = 'The loads'
  return [
    ...plain(name, { kind: 'table', name, table: loadsTable(evidence) }),
    ...plain('The law', sentences(...linesOfLaw(evidence.fit, loadName(evidence), evidence.share))),
  ]
}

function loadName({ points }: Evidence): (index: number) => string {
  const loads = new Map(points.flatMap(({ members, load }) => members.map((member) => [member, load] as const)))
  return (index) => figure(loads.get(index) ?? index + 1)
}

/** Each measured load with both speeds, and what they gained and lost against the least load; with a share, what so many requests have. */
function loadsTable({ curve, gpus, share, isOfRun }: Evidence): Table {
  const [first] = curve.points
  if (first === undefined) return { columns: [], rows: [] }
  const waits = curve.points.some((point) => point.ttftMs !== undefined)
  const many = gpus !== undefined && gpus > 1
  const change = (now: number, then: number): string => `${now >= then ? '+' : ''}${percent(now / then - 1)}`
  return {
    columns: [
      { head: ['in flight', ''] },
      { head: ['tok/s/user', share === undefined ? (isOfRun ? 'mean' : '') : `${portion(share)} ≥`] },
      { head: ['tok/s', 'server'] },
      ...(many ? [{ head: ['tok/s', 'per GPU'] }] : []),
      ...(waits ? [{ head: ['TTFT, ms', share === undefined ? (isOfRun ? 'p50' : '') : `${portion(share)} ≤`] }] : []),
      { head: ['pace', `vs ${figure(first.load)}`] },
      { head: ['aggregate', `vs ${figure(first.load)}`] },
    ],
    rows: curve.points.map((point) => [
      figure(point.load),
      figure(1 / point.stepS),
      figure(point.outputTokensPerSecond),
      ...(many ? [figure(point.outputTokensPerSecond / gpus)] : []),
      ...(waits ? [point.ttftMs === undefined ? '–' : figure(point.ttftMs)] : []),
      point === first ? '' : change(first.stepS, point.stepS),
      point === first ? '' : change(point.outputTokensPerSecond, first.outputTokensPerSecond),
    ]),
  }
}
