import {
  type CheckedFleet,
  counted,
  figure,
  type Plan,
  type PlanAlternative,
  percent,
  type TailCheck,
} from '../../core/index.ts'
import { type Evidence, money } from '../../plan/index.ts'
import type { Table } from '../points-table.ts'
import { cacheSection, daySection } from './day.ts'
import { type Card, type Document, plain, type Section, section, sentences } from './document.ts'
import { planChart } from './frontier.ts'
import { settingsSection } from './settings.ts'
import { clock, fleetOf, goalOf, moneyCell, ofWay, speedsLine, valueCell } from './words.ts'

/** How many replicas hold a product, how that follows, and what it stands on. `evidence` is of the way to serve that is taken. */
export function planDocument(plan: Plan, evidence?: Evidence): Document {
  const { product, arrivalsPerSecond, requests } = plan
  const what =
    arrivalsPerSecond === undefined ? `${figure(requests ?? 0)} requests` : `${figure(arrivalsPerSecond)} requests/s`
  return {
    title: `A fleet for ${product.name === 'objective' ? goalOf(product) : product.name}: ${what}`,
    sections: [
      ...plain('The plan', { kind: 'cards', cards: planCards(plan) }),
      ...plain('The frontier of a replica', planChart(plan, evidence)),
      ...planSections(plan),
      ...settingsSection(plan.settings),
      ...alternativesSection(plan.alternatives),
    ],
  }
}

/** What is asked, the answer, the load it stands on and why, how it follows, what breaks first. */
export function planSections(plan: Plan): readonly Section[] {
  const { breaksFirst, extrapolated, check, day, cache, energy } = plan
  const arithmetic = new Set([...plan.arithmetic, ...(energy === undefined ? [] : [energy.sentence])])
  // What has a part of its own is told there.
  const apart = new Set([...(check?.sentences ?? []), ...[day, cache].map((part) => part?.sentence)])
  return [
    ...plain('The plan', sentences(productLine(plan), answerLine(plan))),
    ...plain('The load of a replica', sentences(`Load: ${speedsLine(plan)}`, plan.reason, plan.confidence?.sentence)),
    ...plain('How it follows', { kind: 'arithmetic', lines: [...arithmetic].filter((line) => !apart.has(line)) }),
    ...poolsSection(plan),
    ...checkSection(plan),
    ...plain('What breaks first', sentences(breaksFirst.sentence)),
    ...daySection(plan),
    ...cacheSection(plan),
    ...plain('What it stands on', {
      kind: 'doubts',
      lines: extrapolated.length === 0 ? [] : [`Extrapolated: ${extrapolated.join('; ')}.`],
    }),
  ]
}

function productLine({ product }: Plan): string {
  const name = product.name === 'objective' ? 'Objective' : `Product ${product.name}`
  const source = product.source === undefined ? '' : ` (${product.source})`
  return `${name}: ${goalOf(product)}${product.goal === 'throughput' ? '' : source}.`
}

function answerLine(plan: Plan): string {
  const { replicas, gpus, replicasAtPeak, gpusAtPeak, completionS, configuration, check } = plan
  const of = configuration === undefined ? '' : ` of ${meanOf(plan) ?? configuration}`
  const fleet = `${fleetOf(replicas, gpus)}${of}`
  if (completionS !== undefined) {
    const done = `Plan: ${fleet}, done in ${figure(completionS)} s (${clock(completionS)})`
    const late = check?.kind === 'drain' && check.inTime === false ? check.completionS : undefined
    return late === undefined
      ? `${done}.`
      : `${done} by the arithmetic; simulated it takes ${figure(late)} s and is late.`
  }
  const atPeak =
    replicasAtPeak === undefined
      ? ''
      : `; ${fleetOf(replicasAtPeak, gpusAtPeak)}${meanOf(plan) === undefined ? '' : ` of ${configuration}`} with ${percent(plan.headroom ?? 0)} headroom for the peak`
  return `Plan: ${fleet} for ${figure(plan.arrivalsPerSecond ?? 0)} requests/s in the mean${atPeak}.`
}

/** Split pools are named for the peak; where the mean takes fewer instances, it has a name of its own. */
function meanOf({ pools }: Plan): string | undefined {
  if (pools === undefined) return undefined
  const { prefill, decode } = pools
  const isSame = [prefill, decode].every(({ instances, instancesAtPeak = instances }) => instancesAtPeak === instances)
  return isSame
    ? undefined
    : `${figure(prefill.instances)} × ${prefill.layout} prefill, ${figure(decode.instances)} × ${decode.layout} decode`
}

export function planCards(plan: Plan): readonly Card[] {
  const { product, replicas, gpus, replicasAtPeak, gpusAtPeak, completionS, cost, choice, configuration } = plan
  const { perReplica } = plan
  const fleet = (count: number, cards: number | undefined, unit: string): Card['figures'][number] => ({
    value: figure(cards ?? count),
    unit: `${cards === undefined ? 'replicas' : 'GPUs'}${unit}`,
  })
  const isBatch = completionS !== undefined
  return [
    {
      title: product.name === 'objective' ? goalOf(product) : product.name,
      headline: `${configuration ?? 'The fleet'}: ${counted(replicas, 'replica')}`,
      figures: [
        fleet(replicas, gpus, isBatch ? ' in all' : ', mean'),
        ...(replicasAtPeak === undefined ? [] : [fleet(replicasAtPeak, gpusAtPeak, ', peak')]),
        ...(isBatch ? [{ value: clock(completionS), unit: 'until it is done' }] : []),
      ],
    },
    {
      title: 'Both speeds',
      headline: `${figure(perReplica.inFlight)} in flight in a replica, of ${figure(choice.concurrency)} that hold`,
      figures: [
        { value: figure(perReplica.tokensPerSecondPerUser), unit: 'tok/s per user' },
        { value: figure(perReplica.outputTokensPerSecond), unit: 'tok/s per replica' },
      ],
    },
    ...(cost === undefined
      ? []
      : [
          {
            title: 'Cost',
            headline: 'At the price that was given',
            figures: [
              { value: money(cost.perHour), unit: 'an hour' },
              { value: money(cost.perMillionOutputTokens), unit: 'a million output tokens' },
            ],
          },
        ]),
  ]
}

function poolsSection({ pools }: Plan): readonly Section[] {
  if (pools === undefined) return []
  const name = 'The two pools'
  const { prefill, decode, link } = pools
  const atPeak = prefill.instancesAtPeak !== undefined || decode.instancesAtPeak !== undefined
  return section(
    name,
    {
      kind: 'table',
      name,
      table: {
        columns: [
          { head: ['pool'], align: 'left' },
          { head: ['layout'], align: 'left' },
          { head: ['GPUs each'] },
          { head: ['instances'] },
          ...(atPeak ? [{ head: ['at the peak'] }] : []),
          { head: ['busy'] },
        ],
        rows: [['prefill', prefill] as const, ['decode', decode] as const].map(([role, pool]) => [
          role,
          pool.layout,
          figure(pool.gpusPerInstance),
          figure(pool.instances),
          ...(atPeak ? [valueCell(pool.instancesAtPeak)] : []),
          percent(pool.busy),
        ]),
      },
    },
    sentences(`Between them: ${link.name}, ${figure(link.bytesPerSecond / 1e9)} GB/s.`),
  )
}

function checkSection({ check }: Plan): readonly Section[] {
  if (check === undefined) return []
  const name = 'Simulated'
  const fleets = check.kind === 'tail' ? fleetsOf(check) : []
  return section(name, sentences(...check.sentences), { kind: 'table', name, table: checkTable(fleets) })
}

const fleetsOf = ({ mean, peak, replay }: TailCheck): readonly (readonly [string, CheckedFleet])[] => [
  ['the mean', mean],
  ['the peak', peak],
  ...(replay === undefined ? [] : [['the peak, trace as recorded', replay] as const]),
]

function checkTable(fleets: readonly (readonly [string, CheckedFleet])[]): Table {
  return {
    columns: [
      { head: ['fleet for', ''], align: 'left' },
      { head: ['replicas', ''] },
      { head: ['requests', '/s'] },
      { head: ['have all of it', '%'] },
      { head: ['between', '%'] },
      { head: ['90 % have', 'tok/s'] },
      { head: ['TTFT ms', 'p50'] },
      { head: ['', 'p99'] },
      { head: ['in flight', ''] },
    ],
    rows: fleets.map(([name, fleet]) => [
      name,
      instancesCell(fleet),
      figure(fleet.arrivalsPerSecond),
      shareCell(fleet.attainment),
      `${shareCell(fleet.interval.low)}–${shareCell(fleet.interval.high)}`,
      valueCell(fleet.p10TokensPerSecond),
      figure(fleet.ttftMs.p50),
      figure(fleet.ttftMs.p99),
      figure(fleet.inFlight),
    ]),
  }
}

/** Of split pools those that read and those that answer. */
const instancesCell = ({ replicas, pools }: CheckedFleet): string =>
  pools === undefined ? figure(replicas) : `${figure(pools.prefill)} + ${figure(pools.decode)}`

/** 100 % only where it is. */
const shareCell = (share: number): string => (share < 1 ? Math.min(99.9, 100 * share) : 100).toFixed(1)

export function alternativesSection(alternatives: readonly PlanAlternative[] = []): readonly Section[] {
  const name = 'Other ways to serve'
  return section(
    name,
    { kind: 'table', name, table: alternativesTable(alternatives.filter(({ holds }) => holds)) },
    { kind: 'list', items: alternatives.map(ofWay) },
  )
}

function alternativesTable(alternatives: readonly PlanAlternative[]): Table {
  const isPeaked = alternatives.some(({ gpusAtPeak }) => gpusAtPeak !== undefined)
  const hasWait = alternatives.some(({ choice }) => choice?.ttftMs !== undefined)
  const isPriced = alternatives.some(({ cost }) => cost !== undefined)
  return {
    columns: [
      { head: ['way to serve', ''], align: 'left' },
      { head: ['GPUs', 'mean'] },
      ...(isPeaked ? [{ head: ['', 'peak'] }] : []),
      { head: ['tok/s/user', ''] },
      { head: ['tok/s', 'per GPU'] },
      ...(hasWait ? [{ head: ['TTFT, ms', ''] }] : []),
      ...(isPriced ? [{ head: ['an hour', ''] }, { head: ['a million', 'output tokens'] }] : []),
    ],
    rows: alternatives.map(({ configuration, gpus, gpusAtPeak, choice, cost }) => [
      configuration,
      valueCell(gpus),
      ...(isPeaked ? [valueCell(gpusAtPeak)] : []),
      valueCell(choice?.tokensPerSecondPerUser),
      valueCell(choice?.tokensPerSecondPerGpu),
      ...(hasWait ? [valueCell(choice?.ttftMs)] : []),
      ...(isPriced ? [moneyCell(cost?.perHour), moneyCell(cost?.perMillionOutputTokens)] : []),
    ]),
  }
}
