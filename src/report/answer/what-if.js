import { figure, percent } from '../../core/index.ts'
import { lasting, money } from '../../plan/index.ts'
import { section } from './document.ts'
/** An answer with others beside it, each of one input changed. */
export function withWhatIf(document, whatIf) {
  return { ...document, sections: [...document.sections, ...whatIf.flatMap(whatIfSection)] }
}
function whatIfSection({ change, differences = [], error }) {
  const name = `What if ${change}`
  const told = differences.filter(isTold)
  const lines =
    error !== undefined
      ? [`${error.message}. ${error.hint}`]
      : told.length === 0
        ? ['Nothing of the answer changes.']
        : []
  return section(
    name,
    { kind: error === undefined ? 'sentences' : 'doubts', lines },
    { kind: 'table', name, table: differencesTable(told) },
  )
}
/** In the order in which they are told; others follow by their keys. */
const NAMES = [
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
  ['replicas', 'replicas'],
  ['gpus', 'GPUs'],
  ['replicasAtPeak', 'replicas at the peak'],
  ['gpusAtPeak', 'GPUs at the peak'],
  ['headroom', 'headroom'],
  ['perReplica.inFlight', 'in flight in a replica'],
  ['perReplica.tokensPerSecondPerUser', 'tok/s/user, really'],
  ['perReplica.ttftMs', 'first token, really'],
  ['completionS', 'done after'],
  ['cost.perHour', 'cost an hour'],
  ['cost.perHourAtPeak', 'cost an hour at the peak'],
  ['cost.perMillionOutputTokens', 'cost of a million output tokens'],
  ['cost.total', 'cost in all'],
]
const ORDER = new Map(NAMES.map(([key], i) => [key, i]))
/** What a reader compares: no sentence, and nothing out of a list. */
function isTold({ key, from, to }) {
  const isWord = [from, to].every((value) => typeof value !== 'string' || value.length <= MOST_LETTERS)
  return ORDER.has(key) || (isWord && !/(^|\.|\[)\d/.test(key) && !LISTS.test(key))
}
const MOST_LETTERS = 40
const LISTS =
  /^(product|fit|frontier|neighbours|against|alternatives|arithmetic|settings|extrapolated)\b|(^|\.)sentences?\b|[.]instants\b/
function differencesTable(differences) {
  const order = ({ key }) => ORDER.get(key) ?? NAMES.length
  return {
    columns: [{ head: [''], align: 'left' }, { head: ['before'] }, { head: ['after'] }, { head: ['change'] }],
    rows: differences
      .toSorted((a, b) => order(a) - order(b))
      .map(({ key, from, to }) => [
        NAMES[order({ key })]?.[1] ?? key,
        cell(key, from),
        cell(key, to),
        changeOf(from, to),
      ]),
  }
}
function cell(key, value) {
  if (value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (/Ms$/.test(key)) return lasting(value / 1000)
  if (/[a-z]S$/.test(key)) return lasting(value)
  if (/(^|\.)(cost\.|perMillion|perHour)/.test(key)) return money(value)
  if (/(headroom|[sS]hare|attainment)$/.test(key)) return percent(value)
  return figure(value)
}
function changeOf(from, to) {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return ''
  const change = to / from - 1
  return `${change > 0 ? '+' : ''}${percent(change)}`
}
