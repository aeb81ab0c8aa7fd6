import { type Fit, type FitAnswer, figure, portion, printable } from '../core/index.ts'
import { fitLines, lawCell } from './fit-lines.ts'
import { linesOfLaw } from './law-lines.ts'
import { type Column, escapeMarkdown, markdownTable, textTable } from './table.ts'

/** A fit and what it is of. */
export interface FitReport {
  /** The file, the runs, or the sweep. */
  readonly name: string
  readonly answer: FitAnswer
  /** The load of a row or a point, by its index. */
  readonly loadName: (index: number) => string
  /** Of runs: the law is of the pace that this share of requests has at least. */
  readonly share?: number
}

/** What `fit` prints for a person: of one server the law and both speeds at each load; of several sweeps a line each. */
export function fitText(reports: readonly FitReport[]): string {
  const { head, table, lines } = partsOf(reports)
  return [head, textTable(table.columns, table.rows), lines.join('\n')].filter((part) => part !== '').join('\n\n')
}

/** The same as Markdown. */
export function fitMarkdown(reports: readonly FitReport[]): string {
  const { head, table, lines } = partsOf(reports)
  const rows = table.rows.map((row) => row.map(escapeMarkdown))
  const parts = [
    `# ${escapeMarkdown(head)}`,
    markdownTable(table.columns, rows),
    lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n'),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

interface Parts {
  readonly head: string
  readonly table: { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] }
  readonly lines: readonly string[]
}

function partsOf(reports: readonly FitReport[]): Parts {
  const [report, ...others] = reports
  return report === undefined || others.length > 0
    ? { head: headOfSweeps(reports), table: sweepsTable(reports), lines: doubtLines(reports) }
    : { head: headOf(report), table: speedsTable(report), lines: lawOf(report) }
}

function headOf({ name, answer: { fit, frontier } }: FitReport): string {
  const { gpus, replicas = 1, lengths } = fit
  const loads = frontier.filter(({ source }) => source === 'measured').length
  const facts = [
    `${loads} ${loads === 1 ? 'load' : 'loads'}`,
    ...(gpus === undefined ? [] : [`${gpus} GPU${gpus === 1 ? '' : 's'}`]),
    ...(replicas > 1 ? [`${replicas} replicas`] : []),
    ...(lengths === undefined ? [] : [`${figure(lengths.input)} tokens in, ${figure(lengths.output)} out`]),
  ]
  return `The law of ${printable(name)}: ${facts.join(' · ')}`
}

function lawOf({ answer: { fit }, loadName, share }: FitReport): readonly string[] {
  return [...linesOfLaw(fit, loadName, share), ...fitLines(fit, share)]
}

/** Every load of the frontier; those between are the law's. */
function speedsTable({ answer: { fit, frontier }, share }: FitReport): Parts['table'] {
  const gpus = fit.gpus ?? 1
  const ofLengths = frontier.some(({ contextTokens }) => contextTokens !== undefined)
  const hasIntervals = frontier.some(({ low }) => low !== undefined)
  return {
    columns: [
      ...(ofLengths ? [{ head: ['context', 'tokens'] }] : []),
      { head: ['in flight', ''] },
      { head: ['tok/s/user', share === undefined ? '' : `${portion(share)} ≥`] },
      ...(hasIntervals ? [{ head: ['90 %', 'interval'] }] : []),
      { head: ['tok/s', 'server'] },
      ...(gpus > 1 ? [{ head: ['tok/s', 'per GPU'] }] : []),
      { head: ['source', ''], align: 'left' },
    ],
    rows: frontier.map((point) => [
      ...(ofLengths ? [point.contextTokens === undefined ? '–' : figure(point.contextTokens)] : []),
      figure(point.concurrency),
      figure(point.tokensPerSecondPerUser),
      ...(hasIntervals
        ? [point.low === undefined || point.high === undefined ? '–' : `${figure(point.low)} – ${figure(point.high)}`]
        : []),
      figure(point.outputTokensPerSecond),
      ...(gpus > 1 ? [figure(point.outputTokensPerSecond / gpus)] : []),
      point.source,
    ]),
  }
}

function headOfSweeps(reports: readonly FitReport[]): string {
  const reliable = reports.filter(({ answer }) => answer.fit.reliable).length
  return `The laws of ${reports.length} sweeps, of which ${reliable} are reliable`
}

function sweepsTable(reports: readonly FitReport[]): Parts['table'] {
  return {
    columns: [
      { head: ['#', ''] },
      { head: ['loads', ''] },
      { head: ['solo limit', 'tok/s/user'] },
      { head: ['ceiling', 'tok/s/GPU'] },
      { head: ['half-', 'batch'] },
      { head: ['error', '%'] },
      { head: ['reliable', ''], align: 'left' },
      { head: ['T(B)', ''], align: 'left' },
      { head: ['sweep', ''], align: 'left' },
    ],
    rows: reports.map(({ name, answer: { fit, frontier } }, i) => [
      String(i + 1),
      String(frontier.filter(({ source }) => source === 'measured').length),
      known(fit.soloLimitTokensPerSecond),
      known(fit.ceilingTokensPerSecondPerGpu),
      known(fit.halfBatch),
      errorCell(fit),
      fit.reliable ? 'yes' : 'no',
      lawCell(fit),
      printable(name),
    ]),
  }
}

const known = (value: number | undefined): string => (value === undefined ? '–' : figure(value))

/** Two points always lie on their line: a residual of nothing is no error told. */
const errorCell = ({ errorPct, errorFrom }: Fit): string =>
  errorPct >= 0.05 ? figure(errorPct) : errorFrom === 'residual' ? '–' : '< 0.1'

/** Why sweeps are not reliable, those of one reason together. */
function doubtLines(reports: readonly FitReport[]): readonly string[] {
  const doubts = reports.map(({ answer }) => (answer.fit.reliable ? '' : answer.fit.why.join('; ')))
  const reasons = [...new Set(doubts.filter((why) => why !== ''))]
  return reasons.map((why) => {
    const which = doubts.flatMap((doubt, i) => (doubt === why ? [`#${i + 1}`] : []))
    return `Not reliable, ${why}: ${which.join(', ')}.`
  })
}
