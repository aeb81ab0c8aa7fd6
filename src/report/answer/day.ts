import { daySvg } from '../../chart/index.ts'
import {
  type CacheWay,
  type Day,
  figure,
  type Plan,
  percent,
  portion,
  type Trough,
  type TroughWay,
} from '../../core/index.ts'
import type { Table } from '../points-table.ts'
import { type Block, type Section, section, sentences } from './document.ts'
import { moneyCell, valueCell } from './words.ts'

/** What comes in the course of a day, and the fleet that stays beside the one that follows it. */
export function daySection({ day }: Plan): readonly Section[] {
  if (day === undefined) return []
  const name = 'Over the day'
  return section(name, sentences(day.sentence), { kind: 'table', name, table: dayTable(day) }, dayChart(day, name))
}

function dayTable({ fixed, following }: Day): Table {
  const known = fixed.gpuHours !== undefined
  const isPriced = fixed.cost !== undefined
  return {
    columns: [
      { head: ['fleet'], align: 'left' },
      { head: ['replicas'] },
      { head: ['replica-hours'] },
      ...(known ? [{ head: ['GPU-hours'] }] : []),
      ...(isPriced ? [{ head: ['cost'] }] : []),
    ],
    rows: [['for the peak, all the time', fixed] as const, ['follows the day, at most', following] as const].map(
      ([what, fleet]) => [
        what,
        figure(fleet.replicas),
        figure(fleet.replicaHours),
        ...(known ? [valueCell(fleet.gpuHours)] : []),
        ...(isPriced ? [moneyCell(fleet.cost)] : []),
      ],
    ),
  }
}

function dayChart({ instants, lengthS, fixed }: Day, title: string): Block {
  const svg =
    instants.length < 2
      ? ''
      : daySvg({
          title,
          lengthS,
          fixed: fixed.replicas,
          instants: instants.map(({ atS, arrivalsPerSecond, neededReplicas, replicas }) => ({
            atS,
            arrivalsPerSecond,
            needed: neededReplicas,
            following: replicas,
          })),
        })
  return { kind: 'chart', name: title, svg, caption: 'Requests that come, and the replicas that hold them.' }
}

/** What of a batch goes into what an interactive fleet leaves over; both ways. */
export function fillSection(product: string, sentence: string, trough: Trough): readonly Section[] {
  const name = `${product} in what is left`
  const row = (what: string, { requestsPerDay, tokensPerDay, tokensPerSecondPerUser }: TroughWay): string[] => [
    what,
    figure(requestsPerDay),
    figure(tokensPerDay / 1e6),
    valueCell(tokensPerSecondPerUser),
  ]
  return section(name, sentences(sentence), {
    kind: 'table',
    name,
    table: {
      columns: [
        { head: ['way', ''], align: 'left' },
        { head: ['requests', 'a day'] },
        { head: ['million', 'tokens a day'] },
        { head: ['tok/s/user', ''] },
      ],
      rows: [row('whole replicas set free', trough.whole), row('beside users in every replica', trough.filled)],
    },
  })
}

const ROUTES: Readonly<Record<CacheWay['routing'], string>> = {
  leastInFlight: 'to the least busy',
  roundRobin: 'in turn',
  prefixCache: 'to where its beginning is',
}

/** What it is worth to send prompts where their beginning has been read already. */
export function cacheSection({ cache }: Plan): readonly Section[] {
  if (cache === undefined) return []
  const name = 'The cache of beginnings'
  const isFound = cache.ways.some(({ replicas }) => replicas !== undefined)
  return section(name, sentences(cache.sentence), {
    kind: 'table',
    name,
    table: {
      columns: [
        { head: ['cache', ''], align: 'left' },
        { head: ['each request goes', ''], align: 'left' },
        { head: ['not read', ''] },
        { head: ['TTFT ms', 'p50'] },
        { head: ['', 'p99'] },
        { head: ['have', 'all of it'] },
        ...(isFound ? [{ head: ['replicas', `for ${portion(cache.share)}`] }] : []),
      ],
      rows: cache.ways.map((way) => [
        way.cache ? 'yes' : 'no',
        ROUTES[way.routing],
        percent(way.cachedShare),
        figure(way.ttftMs.p50),
        figure(way.ttftMs.p99),
        portion(way.attainment),
        ...(isFound ? [valueCell(way.replicas)] : []),
      ]),
    },
  })
}
