import { describe, expect, it } from 'vitest'
import type { Day, Plan, Product } from '../../../src/core/index.ts'
import { chooseAmong, chooseForProducts, planFleet, planProducts } from '../../../src/plan/index.ts'
import {
  choiceDocument,
  type Document,
  documentMarkdown,
  documentPage,
  documentText,
  fleetDocument,
  planDocument,
  productsDocument,
  refusalDocument,
  withWarnings,
  withWhatIf,
} from '../../../src/report/index.ts'
import { THREE_WAYS, waysToServe } from '../../support/ways-to-serve.ts'

const candidates = waysToServe(THREE_WAYS)
const chat: Product = { name: 'chat', goal: 'pace', tokensPerSecond: 50, ttftMs: 500 }
const agent: Product = { name: 'agent', goal: 'pace', tokensPerSecond: 100 }
const impossible: Product = { name: 'wild', goal: 'pace', tokensPerSecond: 1000 }
const options = { gpuHour: 2.5, lengths: { input: 1000, output: 300 } }
const demand = { arrivalsPerSecond: 40, inputTokens: 1000, outputTokens: 300, gpuHour: 2.5 }

/** All that an answer says in words: nothing of it may be lost on the way to a reader. */
function said(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(said)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    /^(sentences?|reason|arithmetic|command|message)$/.test(key) ? [part].flat() : said(part),
  )
}

const plain = (page: string): string =>
  page.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
/** The first letter may be small where a name stands before it. */
const rest = (sentence: string): string => sentence.slice(1)

const among = chooseAmong(candidates, chat, options)
const table = chooseForProducts(candidates, [chat, agent, impossible], options)
const fleet = planFleet(candidates, chat, demand)
const pools = planProducts(candidates, [
  { product: chat, demand },
  { product: agent, demand: { ...demand, arrivalsPerSecond: 5 } },
  { product: impossible, demand },
])

const answers: readonly (readonly [string, unknown, Document])[] = [
  ['a choice', among, choiceDocument(among)],
  ['several products', table, productsDocument(table)],
  ['a plan', fleet, planDocument(fleet)],
  ['several pools', { ...pools, shared: pools.better === 'shared' ? pools.shared : undefined }, fleetDocument(pools)],
]

describe.each(answers)('%s', (_, answer, document) => {
  const [text, markdown, page] = [documentText(document), documentMarkdown(document), documentPage(document)]

  it('loses no sentence on a page', () => {
    expect(said(answer).length).toBeGreaterThan(3)
    for (const sentence of said(answer)) expect(plain(page)).toContain(rest(sentence))
  })

  it('holds no figure that is none', () => {
    for (const form of [text, markdown, page]) expect(form).not.toMatch(/NaN|Infinity|undefined|null|\[object/)
  })

  it('has one heading, and needs nothing from elsewhere', () => {
    expect(page.match(/<h1>/g)).toHaveLength(1)
    expect(page).not.toMatch(/<(script|link|img|iframe|object|base)\b/i)
    expect(page).not.toMatch(/\b(src|href)=|url\((?!#)|@import|\bon\w+="/i)
  })
})

it.each([
  ['a choice', choiceDocument(among)],
  ['a plan', planDocument(fleet)],
] as const)('%s says nothing twice', (_, document) => {
  const lines = documentText(document)
    .split('\n')
    .filter((line) => line.length > 60)
  expect(lines.length).toBeGreaterThan(3)
  expect(new Set(lines).size).toBe(lines.length)
})

describe('a choice among several', () => {
  const page = documentPage(choiceDocument(among))

  it('is drawn with its ring, the floor, and a square for each other that holds', () => {
    const held = among.alternatives?.filter(({ choice }) => choice !== undefined) ?? []
    expect(held.length).toBeGreaterThan(0)
    expect(page.match(/<circle class="chosen"/g)).toHaveLength(1)
    expect(page.match(/<line class="floor"/g)).toHaveLength(1)
    expect(page.match(/<rect class="other"/g)).toHaveLength(held.length)
  })

  it('has none of them where there is one way and no floor', () => {
    const [first] = candidates
    const alone = chooseAmong(candidates.slice(0, 1), { name: 'batch', goal: 'throughput' })
    const drawn = documentPage(choiceDocument(alone, first?.evidenceFor()))
    expect(drawn.match(/<circle class="chosen"/g)).toHaveLength(1)
    expect(drawn).not.toMatch(/class="floor"|class="other"/)
  })

  it('names the way to serve in its first words', () => {
    expect(documentText(choiceDocument(among))).toMatch(/^Choice for chat: runs\/[abc], \d+ in flight/)
  })
})

describe('several products', () => {
  it('have a row each, also one that nothing holds', () => {
    const text = documentText(productsDocument(table))
    for (const name of ['chat', 'agent', 'wild']) expect(text).toMatch(new RegExp(`^${name} `, 'm'))
    expect(text).toMatch(/^wild .* not held$/m)
    expect(text).toContain('wild is not held: ')
  })

  it('say of each what to set, in every form, and leave the other ways to the longer ones', () => {
    for (const [document, settings] of [
      [productsDocument(table), table.products.flatMap((row) => ('answer' in row ? (row.answer.settings ?? []) : []))],
      [fleetDocument(pools), pools.plans.flatMap((plan) => plan.settings ?? [])],
    ] as const) {
      expect(settings).toHaveLength(2)
      const forms = [documentText(document), documentMarkdown(document), plain(documentPage(document))]
      for (const form of forms) {
        expect(form).toContain('What to set the server to: chat')
        for (const { engines } of settings) for (const { command } of engines) expect(form).toContain(command)
      }
      const [text, ...longer] = forms
      expect(text).not.toContain('Other ways to serve')
      for (const form of longer) expect(form).toContain('Other ways to serve: chat')
    }
  })
})

describe('a plan', () => {
  const day: Day = {
    by: 'curve',
    lengthS: 86_400,
    requests: 1000,
    arrivalsPerSecond: 10,
    mostArrivalsPerSecond: 20,
    inFlight: 50,
    mostInFlight: 100,
    peakInFlight: 120,
    instants: [0, 1, 2, 3].map((i) => ({
      atS: 21_600 * i,
      arrivalsPerSecond: 10 + 5 * i,
      inFlight: 50 + 10 * i,
      neededReplicas: 1 + i,
      replicas: Math.min(4, 2 + i),
    })),
    fixed: { replicas: 4, replicaHours: 96 },
    following: { replicas: 4, replicaHours: 78, startupS: 300 },
    savedShare: 0.1875,
    sentence: 'The day is long.',
  }
  const withDay: Plan = { ...fleet, day, arithmetic: [...fleet.arithmetic, day.sentence] }

  it('is drawn where the evidence is given: what is planned, what will be, the floor', () => {
    const taken = candidates.find(({ name }) => name === fleet.configuration)
    const page = documentPage(planDocument(fleet, taken?.evidenceFor()))
    for (const mark of ['circle class="chosen"', 'rect class="other"', 'line class="floor"'])
      expect(page).toContain(mark)
    expect(documentPage(planDocument(fleet))).not.toContain('ts-frontier')
  })

  it('tells the day once, with its chart', () => {
    const document = planDocument(withDay)
    expect(documentText(document).split(day.sentence)).toHaveLength(2)
    expect(documentPage(document)).toContain('class="ts-time"')
    expect(documentPage(planDocument(fleet))).not.toContain('class="ts-time"')
  })

  it('shows what the others would take, in the order in which they would be taken', () => {
    const names = fleet.alternatives?.filter(({ holds }) => holds).map(({ configuration }) => configuration) ?? []
    expect(names.length).toBeGreaterThan(0)
    const text = documentText(planDocument(fleet))
    const places = names.map((name) => text.indexOf(`\n${name} `))
    expect(places.every((place) => place > 0)).toBe(true)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })
})

describe('what if', () => {
  const document = planDocument(fleet)
  const rowsOf = (text: string): readonly string[] => text.slice(text.indexOf('What if')).split('\n').slice(2)

  it('has each figure before and after, those that matter first', () => {
    const text = documentText(
      withWhatIf(document, [
        {
          change: 'arrivals=80/s',
          differences: [
            { key: 'check.mean.attainment', from: 0.91, to: 0.5 },
            { key: 'cost.perHour', from: 7.5, to: 15 },
            { key: 'replicas', from: 3, to: 6 },
            { key: 'timeInSystemS', from: 0.5, to: 0.25 },
            { key: 'configuration', from: 'runs/b', to: 'runs/a' },
          ],
        },
      ]),
    )
    expect(rowsOf(text).map((row) => row.trim().replace(/ {2,}/g, ' | '))).toEqual([
      'stay, W | 500 ms | 250 ms | -50 %',
      'way to serve | runs/b | runs/a',
      'replicas | 3 | 6 | +100 %',
      'have all of it, at the mean | 91 % | 50 % | -45 %',
      'cost an hour | 7.50 | 15.00 | +100 %',
    ])
  })

  it('leaves out what is not compared, and what looks the same', () => {
    const textOf = (key: string, from: number | string, to: number | string): string =>
      documentText(withWhatIf(document, [{ change: 'x', differences: [{ key, from, to }] }]))
    expect(textOf('replicas', 3, 4)).toMatch(/What if x\n.*\nreplicas +3 +4 +\+33 %$/)
    for (const [key, from, to] of [
      ['reason', 'a', 'b'],
      ['choice.low', 1, 2],
      ['inFlight', 100.01, 100.02],
    ] as const) {
      expect(textOf(key, from, to)).toMatch(/What if x\nNothing that is compared here changes\.$/)
    }
    expect(documentText(withWhatIf(document, [{ change: 'x', differences: [] }]))).toMatch(
      /Nothing of the answer changes\.$/,
    )
  })

  it('names the product, of several', () => {
    const differences = [
      { key: 'plans.night.1.replicas', from: 1, to: 2 },
      { key: 'products.chat.answer.choice.concurrency', from: 10, to: 20 },
    ]
    const text = documentText(withWhatIf(document, [{ change: 'x', differences }]))
    expect(text).toMatch(/chat: load of a replica +10 +20 +\+100 %\nnight\.1: replicas +1 +2/)
  })

  it('stands beside a refusal, where nothing was there before', () => {
    const error = { code: 'NO_POINT_HOLDS', message: 'no load gives it', hint: 'Ask for less.' } as const
    const differences = [{ key: 'replicas', to: 6 }]
    const whole = withWhatIf(refusalDocument(error), [{ change: 'floor=10', differences }])
    expect(documentText(whole)).toMatch(
      /^NO_POINT_HOLDS: no load gives it\. Ask for less\.\n\nWhat if floor=10\n.*\nreplicas +– +6 *$/,
    )
  })

  it('says an error in its place', () => {
    const error = { code: 'NO_POINT_HOLDS', message: 'no load gives it', hint: 'Ask for less.' } as const
    const text = documentText(withWhatIf(document, [{ change: 'floor=1000', error }]))
    expect(text).toMatch(/What if floor=1000\nno load gives it\. Ask for less\.$/)
  })
})

it('begins with what of what was given is to be doubted', () => {
  const doubted = withWarnings(choiceDocument(among), ['The points say so.'])
  expect(documentText(doubted)).toMatch(/^The points say so\.\n\nChoice for chat/)
  for (const form of [documentMarkdown(doubted), documentPage(doubted)]) expect(form).toContain('The points say so.')
})
