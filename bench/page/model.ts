/** docs/reference/model-accuracy.md, made of what the benches have left. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { ErrorFigures, NamedErrors } from '../model/errors.ts'
import type { SplitPoolsReport, TableReport } from '../model/table-report.ts'
import { type ModelResult, readResult } from '../results.ts'
import { marksTable, table } from './markdown.ts'
import { modelSpeedSection } from './model-speed.ts'

const PAGE = new URL('../../docs/reference/model-accuracy.md', import.meta.url)

export function writeModelPage(): void {
  const accuracy = readResult('model')
  const speed = readResult('model-speed')
  const sections = [
    ...(accuracy === undefined ? [] : [modelPage(accuracy)]),
    ...(speed === undefined ? [] : [modelSpeedSection(speed)]),
  ]
  mkdirSync(new URL('.', PAGE), { recursive: true })
  writeFileSync(PAGE, `${sections.join('\n\n')}\n`)
}

const percent = (value: number): string => `${value.toFixed(1)} %`

const ERRORS = ['points', 'median', 'mean', 'p90', 'bias'] as const

function cellsOf({ points, medianPct, meanPct, p90Pct, biasPct }: ErrorFigures): readonly string[] {
  return [
    String(points),
    ...[medianPct, meanPct, p90Pct].map(percent),
    `${biasPct < 0 ? '−' : '+'}${percent(Math.abs(biasPct))}`,
  ]
}

const errorsTable = (what: string, rows: readonly NamedErrors[]): string =>
  table(
    [what, ...ERRORS],
    rows.map((row) => [row.name, ...cellsOf(row)]),
  )

function modelPage({
  marks,
  interpolation,
  questions,
  firstTokens,
  coverage,
  splitPools,
  tables,
  leftOut,
}: ModelResult): string {
  return `# How accurate the model is

\`fit\` and \`predict\` held against measurements that others published. \`npm run bench:model\` makes this page; do not edit it. The tables, their sources and what to mind about them are in
[bench/data](../../bench/data/README.md). No clock and no machine has a part in these figures: they are the same wherever the command runs.

An error is |predicted ÷ measured − 1|; *bias* is the median of predicted ÷ measured − 1, above 0 where more is promised than was seen. Pace is tok/s/user.

${marksTable(marks)}

## One engine, both speeds

InferenceX and NVIDIA's own runs (\`inferencex_agg_e2e.csv\`), without the rows that the table itself doubts.
\`predict\` is not asked about ${leftOut.reduce((sum, { rows }) => sum + rows, 0)} of the rest: ${leftOut.map(({ why, rows }) => `${rows} of ${why}`).join('; ')}.

### Between measured loads

Of every sweep of four loads or more, the lowest, the middle and the highest are given to \`fit\`; it is asked for the pace at the others. *Reliable* is what the fit says of itself.

${table(
  ['sweeps of models', 'sweeps', 'reliable', 'points', 'median', 'mean', 'p90', 'bias'],
  interpolation.flatMap(({ kind, sweeps, reliablePct, reliable, all }) => [
    [KINDS[kind], String(sweeps), percent(reliablePct), ...cellsOf(reliable)],
    [`${KINDS[kind]}, also those not reliable`, '', '', ...cellsOf(all)],
  ]),
)}

${errorsTable(
  'model, reliable sweeps',
  interpolation.flatMap(({ groups }) => groups),
)}

${questions.map(questionSection).join('\n\n')}

### The first token

Measured time to the first token ÷ predicted. \`predict\` answers for a steady closed loop: the host, the step under way, the prompts that the same copy reads before, and the prompt itself.
These benchmarks send their first requests all at once, a tenth of all that they send, so that many prompts wait for half of the others; and engines hold prompts back besides. Both grow with
the load. A first token from specifications is the least that can be had; one that is calibrated holds what its samples held.

${table(
  ['answers', 'points', 'a tenth below', 'median', 'a tenth above'],
  firstTokens.map(({ name, points, tenth, median, nineTenths }) => [
    name,
    String(points),
    ...[tenth, median, nineTenths].map((ratio) => `${ratio.toFixed(2)} ×`),
  ]),
)}

### Intervals

Every answer comes with an interval: \`fit\` says where nine measurements in ten would lie, \`predict\` where eight would. \`fit\`'s follow from the three points and a usual noise;
the widths of \`predict\`'s were taken from these same sweeps. Taken from one half of their families alone (a model on a GPU in a precision under an engine) they held 72 to 87 % of the other half.

${table(
  ['answers', 'points', 'promised', 'inside', 'measured below', 'measured above', 'high ÷ low, median'],
  coverage.map(({ name, points, promisedPct, insidePct, belowPct, abovePct, width }) => [
    name,
    String(points),
    `${promisedPct} %`,
    ...[insidePct, belowPct, abovePct].map(percent),
    width.toFixed(2),
  ]),
)}

${poolsSection(splitPools)}

## Other tables

Launch times and shares of peak rates were read off the kernel tables (aic_*); nothing was tuned on the rest.

${tables.map(tableSection).join('\n\n')}`
}

const KINDS = { dense: 'without experts', experts: 'with experts' } as const

const QUESTIONS = {
  sameShape: [
    'The same shape, three loads calibrate',
    'The lowest, middle and highest load of a sweep calibrate `predict` for its others: for comparison, since `fit` answers this better.',
  ],
  newLengths: [
    'Other lengths, one sweep calibrates',
    'Every sweep of three loads or more calibrates `predict` for every other of the same model, GPU, precision, engine and layout at other lengths, whatever their days and engine versions.',
  ],
  newLayout: [
    'Laid out over other GPUs, one sweep calibrates',
    'The same from one layout (TP, EP, DP) to another at the same lengths.',
  ],
  uncalibrated: [
    'From specifications alone',
    'Nothing measured is given: a model, a GPU, a layout, lengths and a load.',
  ],
} as const

function questionSection({
  name,
  all,
  dense,
  experts,
  models,
  systems,
  loads,
}: ModelResult['questions'][number]): string {
  const [title, how] = QUESTIONS[name]
  return `### ${title}

${how}

${errorsTable('models', [
  { name: 'all', ...all },
  { name: KINDS.dense, ...dense },
  { name: KINDS.experts, ...experts },
])}

${errorsTable('model', models)}

${errorsTable('GPU', systems)}

${errorsTable('requests in flight', loads)}`
}

function poolsSection({ uncalibrated, calibrated, notes = [] }: SplitPoolsReport): string {
  const kinds = { 'from specifications': uncalibrated, calibrated } as const
  return `## Split pools

Prefill and decode on GPUs of their own (\`inferencex_disagg_e2e.csv\`). tok/s/GPU is over all GPUs of both pools.

${errorsTable(
  'figure',
  Object.entries(kinds).flatMap(([name, { perGpu, perUser }]) => [
    { name: `tok/s/GPU, ${name}`, ...perGpu },
    { name: `tok/s/user, ${name}`, ...perUser },
  ]),
)}

${Object.entries(kinds)
  .map(([name, { groups }]) => errorsTable(`tok/s/GPU, ${name}`, groups))
  .join('\n\n')}${notes.map((note) => `\n\n${note}`).join('')}`
}

function tableSection({ table: file, what, groups, notes = [] }: TableReport): string {
  return `### ${file}

${what}

${errorsTable('', groups)}${notes.map((note) => `\n\n${note}`).join('')}`
}
