import { type Difference, figure, percent, type WhatIf } from '../../core/index.ts'
import { lasting, money, moneyBeside } from '../../plan/index.ts'
import type { Table } from '../points-table.ts'
import { type Document, plain, type Section, section, sentences } from './document.ts'

/** An answer with others beside it, each of one input changed. */
export function withWhatIf(document: Document, whatIf: readonly WhatIf[]): Document {
  return { ...document, sections: [...document.sections, ...whatIf.flatMap(whatIfSection)] }
}

/** In place of an answer that there is none to, for others to stand beside. */
export const refusalDocument = ({ code, message, hint }: NonNullable<WhatIf['error']>): Document => ({
  title: 'Nothing holds what is asked',
  sections: plain('What is asked', { kind: 'doubts', lines: [`${code}: ${message}. ${hint}`] }),
})

function whatIfSection({ change, differences = [], error }: WhatIf): readonly Section[] {
  const name = `What if ${change}`
  const rows = differences.flatMap(rowOf).toSorted((a, b) => a.order - b.order)
  const nothing = differences.length === 0 ? 'Nothing of the answer changes.' : 'Nothing that is compared here changes.'
  const told = rows.length === 0 ? nothing : undefined
  return section(
    name,
    error === undefined ? sentences(told) : { kind: 'doubts', lines: [`${error.message}. ${error.hint}`] },
    { kind: 'table', name, table: { columns: COLUMNS, rows: rows.map(({ cells }) => cells) } },
  )
}

const COLUMNS: Table['columns'] = [
  { head: [''], align: 'left' },
  { head: ['before'] },
  { head: ['after'] },
  { head: ['change'] },
]

/** What a reader compares, in the order in which it is told; the rest of the answer is in `--json`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['arrivalsPerSecond', 'requests/s'],
  ['timeInSystemS', 'stay, W'],
  ['inFlight', 'in flight, L'],
  ['configuration', 'way to serve'],
  ['choice.configuration', 'way to serve'],
  ['choice.concurrency', 'load of a replica'],
  ['choice.tokensPerSecondPerUser', 'tok/s/user there'],
  ['choice.outputTokensPerSecond', 'tok/s there'],
  ['choice.tokensPerSecondPerGpu', 'tok/s/GPU there'],
  ['choice.ttftMs', 'first token there'],
  ['choice.perMillionOutputTokens', 'a million output tokens'],
  ['bindingConstraint', 'binds'],
  ['confidence.class', 'stands on'],
  ['priceOfPace.lostShare', '10 % more pace costs'],
  ['replicas', 'replicas'],
  ['replicasAtPeak', 'replicas at the peak'],
  ['gpus', 'GPUs'],
  ['gpusAtPeak', 'GPUs at the peak'],
  ['headroom', 'headroom'],
  ['perReplica.inFlight', 'in flight in a replica'],
  ['perReplica.tokensPerSecondPerUser', 'tok/s/user, really'],
  ['perReplica.ttftMs', 'first token, really'],
  ['check.mean.attainment', 'have all of it, at the mean'],
  ['check.peak.attainment', 'have all of it, at the peak'],
  ['completionS', 'done after'],
  ['cost.perHour', 'cost an hour'],
  ['cost.perHourAtPeak', 'cost an hour at the peak'],
  ['cost.perMillionOutputTokens', 'cost of a million output tokens'],
  ['cost.total', 'cost in all'],
  ['energy.kilowatts', 'kW'],
  ['energy.joulesPerOutputToken', 'J an output token'],
  ['breaksFirst.what', 'breaks first'],
  ['breaksFirst.arrivalsPerSecond', 'requests/s held'],
  ['day.savedShare', 'saved by following the day'],
  ['better', 'better'],
  ['shared.gpus', 'GPUs, one pool for all'],
  ['shared.gpusAtPeak', 'GPUs at the peak, one pool for all'],
  ['specialised.gpus', 'GPUs, a pool for each'],
  ['specialised.gpusAtPeak', 'GPUs at the peak, a pool for each'],
  ['specialised.perHour', 'cost an hour, a pool for each'],
  ['shared.perHour', 'cost an hour, one pool for all'],
  ['pools.better', 'better'],
  ['pools.gain', 'gain of a pool for each'],
  ['pools.shared.choice.concurrency', 'load, one pool for all'],
  ['pools.shared.choice.tokensPerSecondPerGpu', 'tok/s/GPU, one pool for all'],
  ['pools.specialised.tokensPerSecondPerGpu', 'tok/s/GPU, a pool for each'],
])
const ORDER: readonly string[] = [...NAMES.keys()]

interface Row {
  readonly order: number
  readonly cells: readonly string[]
}

/** None of what is not compared, or looks the same before and after. Of several products each has its rows, under its name. */
function rowOf({ key, from, to }: Difference): readonly Row[] {
  const [, product, own = key] =
    /^(?:plans|products)\.(.+?)\.(?:answer\.)?((?:choice\.|cost\.|perReplica\.)?\w+)$/.exec(key) ?? []
  const name = NAMES.get(own)
  const areMoney = MONEY.test(own) && typeof from === 'number' && typeof to === 'number'
  const [before, after] = areMoney ? moneyBeside(from, to) : [cell(own, from), cell(own, to)]
  if (name === undefined || before === after) return []
  const label = product === undefined ? name : `${product}: ${name}`
  return [{ order: ORDER.indexOf(own), cells: [label, before, after, changeOf(from, to)] }]
}

const MONEY = /(^|\.)(cost\.|perMillion|perHour)/

function cell(key: string, value: Difference['from']): string {
  if (value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (/Ms$/.test(key)) return lasting(value / 1000)
  if (/[a-z]S$/.test(key)) return lasting(value)
  if (MONEY.test(key)) return money(value)
  if (/(headroom|gain|[sS]hare|attainment)$/.test(key)) return percent(value)
  return figure(value)
}

function changeOf(from: Difference['from'], to: Difference['to']): string {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return ''
  const change = to / from - 1
  return `${change > 0 ? '+' : ''}${percent(change)}`
}
