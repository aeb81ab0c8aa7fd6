import { type FleetPlan, type FleetSize, figure, type Plan } from '../../core/index.ts'
import type { Table } from '../points-table.ts'
import { fillSection } from './day.ts'
import { type Document, oneOf, plain, type Section, section, sentences } from './document.ts'
import { alternativesSection, planCards, planSections } from './plan-document.ts'
import { settingsSection } from './settings.ts'
import { moneyCell, valueCell } from './words.ts'

/** Several products: which way of the two it is and why, one line for each pool, then each in full. */
export function fleetDocument(fleet: FleetPlan): Document {
  const { plans, shared, refused, arithmetic, fills = [] } = fleet
  const pools = [
    ...plans.map((plan) => [plan.product.name, plan] as const),
    ...(shared === undefined ? [] : [['all in one', shared.plan] as const]),
  ]
  const [name, sizes] = ['Each pool', 'One pool or several']
  return {
    title: `A fleet for ${[...plans.map(({ product }) => product.name), ...refused.map(({ product }) => product.name)].join(', ')}`,
    sections: [
      ...plain(sizes, { kind: 'cards', cards: plans.flatMap((plan) => planCards(plan).slice(0, 1)) }),
      ...plain(
        sizes,
        sentences(fleet.sentence),
        {
          kind: 'doubts',
          lines: refused.map(({ product, error }) => `${product.name} is not held: ${error.message}. ${error.hint}`),
        },
        { kind: 'table', name: sizes, table: sizesTable(fleet) },
        { kind: 'arithmetic', lines: arithmetic },
      ),
      ...section(name, { kind: 'table', name, table: poolsTable(pools) }),
      ...fills.flatMap(({ product, sentence, trough }) => fillSection(product, sentence, trough)),
      ...plans.flatMap((plan) => poolSections(plan.product.name, plan)),
      ...(shared === undefined || fleet.better !== 'shared' ? [] : poolSections('one pool for all', shared.plan)),
    ],
  }
}

const poolSections = (name: string, plan: Plan): readonly Section[] =>
  oneOf(name, [...planSections(plan), ...settingsSection(plan.settings)], alternativesSection(plan.alternatives))

function sizesTable({ specialised, shared, total }: FleetPlan): Table {
  const ways = [
    ...(specialised === undefined ? [] : [['a pool for each', specialised] as const]),
    ...(shared === undefined ? [] : [['one pool for all', shared] as const]),
    ...(total === undefined ? [] : [['to buy in all', total] as const]),
  ] satisfies readonly (readonly [string, FleetSize])[]
  const isPriced = ways.some(([, { perHour }]) => perHour !== undefined)
  return {
    columns: [
      { head: ['fleet', ''], align: 'left' },
      { head: ['GPUs', 'mean'] },
      { head: ['', 'peak'] },
      ...(isPriced ? [{ head: ['an hour', 'mean'] }, { head: ['', 'peak'] }] : []),
    ],
    rows: ways.map(([name, size]) => [
      name,
      valueCell(size.gpus),
      valueCell(size.gpusAtPeak),
      ...(isPriced ? [moneyCell(size.perHour), moneyCell(size.perHourAtPeak)] : []),
    ]),
  }
}

function poolsTable(pools: readonly (readonly [string, Plan])[]): Table {
  const hasWay = pools.some(([, { configuration }]) => configuration !== undefined)
  return {
    columns: [
      { head: ['pool', ''], align: 'left' },
      ...(hasWay ? [{ head: ['way to serve', ''], align: 'left' as const }] : []),
      { head: ['requests', '/s'] },
      { head: ['in flight', ''] },
      { head: ['replicas', 'mean'] },
      { head: ['', 'peak'] },
      { head: ['GPUs', 'mean'] },
      { head: ['', 'peak'] },
      { head: ['tok/s/user', 'at the load'] },
    ],
    rows: pools.map(([name, plan]) => [
      name,
      ...(hasWay ? [plan.configuration ?? '–'] : []),
      valueCell(plan.arrivalsPerSecond),
      valueCell(plan.inFlight),
      figure(plan.replicas),
      valueCell(plan.replicasAtPeak),
      valueCell(plan.gpus),
      valueCell(plan.gpusAtPeak),
      figure(plan.choice.tokensPerSecondPerUser),
    ]),
  }
}
