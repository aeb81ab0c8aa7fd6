/** docs/reference/planning-accuracy.md, made of what the benches have left. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { ChoiceScore, ChooseResult } from '../choose/scores.ts'
import { readResult } from '../results.ts'
import { marksTable, table } from './markdown.ts'
import { planSection, planSpeedSection } from './plan.ts'

const PAGE = new URL('../../docs/reference/planning-accuracy.md', import.meta.url)

const HEAD = `# How good choices and plans are

\`choose\` held against loads that others measured, and fleets of \`plan\` against simulations of their own. The commands named below make this page; do not edit it.`

export function writePlanningPage(): void {
  const choices = readResult('choose')
  const plans = readResult('plan')
  const speed = readResult('plan-speed')
  const sections = [
    HEAD,
    ...(choices === undefined ? [] : [chooseSection(choices)]),
    ...(plans === undefined ? [] : [planSection(plans)]),
    ...(speed === undefined ? [] : [planSpeedSection(speed)]),
  ]
  mkdirSync(new URL('.', PAGE), { recursive: true })
  writeFileSync(PAGE, `${sections.join('\n\n')}\n`)
}

const percent = (value: number): string => `${value.toFixed(1)} %`
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`

const RULES = { choose: '`choose`', measuredPoint: 'best of the three' } as const

function scoresTable(scores: readonly ChoiceScore[], limit: ChoiceScore['limit']): string {
  return table(
    [
      'sweeps',
      'by',
      'sweeps',
      'answers',
      'within one load',
      'of every sweep all',
      'exact',
      'tok/s/GPU, median',
      'a tenth below',
      'misses',
      'by, median',
      'by, p90',
    ],
    scores
      .filter((score) => score.limit === limit)
      .map(({ rule, of, sweeps, questions, regretPct, missed, ...shares }) => [
        of,
        RULES[rule],
        String(sweeps),
        String(questions),
        ...[shares.withinOneStepPct, shares.wholeSweepsPct, shares.exactPct].map(percent),
        ...[-regretPct.median, -regretPct.p90].map(signed),
        ...[missed.pct, missed.medianPct, missed.p90Pct].map(percent),
      ]),
  )
}

function chooseSection({ marks, scores, leftOut, otherLengths }: ChooseResult): string {
  return `## Choosing from three loads

\`npm run bench:choose\`. No clock and no machine has a part in these figures. Of every sweep of four loads or more of InferenceX and NVIDIA's own runs ([bench/data](../../bench/data/README.md)),
\`choose\` is given the lowest, the middle and the highest load, and is asked for a floor of pace, or a limit of the first token, that lies between two neighbours of all that were measured: a
quarter, a half and three quarters of the way. The right answer is known then, from the loads that it was not shown. ${leftOut.floor} floors and ${leftOut.ttft} limits are left out that have no
one right answer, since the measurements go up and down across them.

${marksTable(marks)}

*Within one load*: the chosen load is no farther than the next measured load from the greatest that holds. *Of every sweep all*: sweeps of which that is so of all the answers, a dozen each.
*Exact*: it lies between the greatest measured load that holds and the next, which does not. *tok/s/GPU* is against the greatest measured load that holds, of the answers that hold: above 0
where a load between two that were measured makes more. *Misses*: answers at which the limit is not held by what was measured, straight between neighbours, and by how much of the limit;
a law that is off by a hundredth misses as often as not where the choice is the very last load. Beside it stands what is done without a law: of the three loads the greatest that holds.

### A floor of pace

${scoresTable(scores, 'floor')}

### A limit of the first token

Between loads \`choose\` takes waits along straight pieces, for no law holds for them.

${scoresTable(scores, 'ttft')}

${lengthsSection(otherLengths)}`
}

function lengthsSection({ coverage, heldOutPct }: ChooseResult['otherLengths']): string {
  return `### Other lengths than were measured

The pace of requests of other lengths is what was measured, with bounds around it that are to hold 8 measurements in 10. Here every sweep of three loads or more answers for every other of the same
model, GPU, precision, engine and layout whose prompts or answers are longer or shorter, whatever their days and engine versions, at the loads that lie between its own. A width that is taken from every second
of these servers holds ${heldOutPct.map(percent).join(' and ')} of the loads of the others.

${table(
  [
    'from the lengths measured',
    'loads',
    'promised',
    'inside',
    'measured below',
    'measured above',
    'high ÷ low, median',
  ],
  coverage.map(({ name, points, promisedPct, insidePct, belowPct, abovePct, width }) => [
    name,
    String(points),
    `${promisedPct} %`,
    ...[insidePct, belowPct, abovePct].map(percent),
    width.toFixed(2),
  ]),
)}`
}
