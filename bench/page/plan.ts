import type { PlanAnswer, Size } from '../plan/answers.ts'
import type { PlanResult } from '../plan/scores.ts'
import type { PlanSpeedResult } from '../results.ts'
import { marksTable, spread, table, whereAndWhen } from './markdown.ts'

const percent = (value: number): string => `${value.toFixed(1)} %`

const SIZINGS = {
  naive: 'tokens a second ÷ the ceiling',
  mean: '`replicas`, for the mean',
  arithmetic: 'for the peak, by arithmetic alone',
  planned: '`replicasAtPeak`, with the simulation in it',
} as const

export function planSection({ marks, told, sizings, fewest, answers }: PlanResult): string {
  return `## Fleets that are planned

\`npm run bench:plan\`. No clock and no machine has a part in these figures. Servers are simulated under two laws and two kinds of lengths, and measured at seven loads of a closed loop; that is all
that the plan is told. Products are chat (25 tok/s and 450 ms), code (33 tok/s and 500 ms) and a floor of 50 tok/s for 95 requests in 100. Requests come by chance (Poisson), as many as fill 1, 4 or
16 replicas to 95 to 98 % at the chosen load: tight, for where there is room any plan holds. Then whole fleets are simulated under the law itself, with seeds of their own, of some
100 000 requests each or more. *Holds*: the share of those requests has all of the objective.

${marksTable(marks)}

${table(
  ['fleet by', 'fleets', 'hold the share', 'replicas, ÷ the fewest that the plan names'],
  sizings.map(({ by, fleets, holdPct, timesFewest }) => [
    SIZINGS[by],
    String(fleets),
    percent(holdPct),
    timesFewest.toFixed(2),
  ]),
)}

The fewest replicas that a plan's simulation names hold in ${percent(fewest.holdPct)} of ${fewest.fleets} fleets. It looks for no fewer than the mean takes; of the ${fewest.tight} that take more, one fewer does
not hold in ${percent(fewest.tightPct)}.

${table(
  ['attainment told', 'fleets', 'off, median', 'truth inside the interval', 'neither all nor none', 'of these inside'],
  told.map(({ fleet, fleets, medianOffPct, insidePct, undecided, undecidedInsidePct }) => [
    `of the fleet for the ${fleet}`,
    String(fleets),
    percent(medianOffPct),
    percent(insidePct),
    String(undecided),
    percent(undecidedInsidePct),
  ]),
)}

Every fleet, as replicas and the share of requests that really had all of the objective there, ± a standard error: near its ceiling a small fleet wanders for minutes.

${table(
  [
    'law',
    'lengths',
    'product',
    'requests/s',
    'share',
    'mean, told',
    'mean',
    'peak by arithmetic',
    'as planned',
    'fewest',
  ],
  answers.map(rowOf),
)}`
}

function rowOf({
  server,
  lengths,
  product,
  arrivalsPerSecond,
  share,
  toldOfMean,
  ...sizes
}: PlanAnswer): readonly string[] {
  const { attainment, interval } = toldOfMean
  const told = (value: number): string => (100 * value).toFixed(1)
  const shareOf = ({ truth }: Size): string =>
    `${told(truth.attainment)}${truth.error < 0.0005 ? '' : ` ± ${told(truth.error)}`}`
  const of = (size: Size | undefined): string =>
    size === undefined ? '–' : `${size.replicas}: ${shareOf(size)} %${size.holds ? '' : ', misses'}`
  return [
    `\`${server}\``,
    lengths,
    product,
    arrivalsPerSecond.toFixed(1),
    `${100 * share} %`,
    `${told(attainment)} % (${told(interval.low)}–${told(interval.high)})`,
    ...[sizes.mean, sizes.arithmetic, sizes.planned, sizes.fewest].map(of),
  ]
}

export function planSpeedSection({ plans, machine, takenAt, seconds, marks }: PlanSpeedResult): string {
  return `## Plans for a million users

\`npm run bench:plan-speed\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

The command from its start to its end, on one core, with its check by simulation; the users ask again as soon as they are answered. CPU time is told beside the time on the clock, for others may be at work meanwhile.

${marksTable(marks)}

${table(
  ['a million users', 'GPUs for the peak', 'seconds', 'CPU seconds'],
  plans.map(({ what, gpusAtPeak, seconds: each, cpuS }) => [
    what,
    gpusAtPeak.toLocaleString('en'),
    spread(each, 2),
    spread(cpuS, 2),
  ]),
)}`
}
