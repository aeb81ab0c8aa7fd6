import type { Alternative, Choice } from '../../core/index.ts'
import { figure } from '../../core/index.ts'
import type { Advice, Evidence } from '../../plan/index.ts'
import type { Table } from '../points-table.ts'
import { type Card, type Document, plain, type Section, section, sentences } from './document.ts'
import { choiceChart } from './frontier.ts'
import { loadsSections } from './loads.ts'
import { settingsSection } from './settings.ts'
import { forWhom, goalOf, moneyCell, ofWay, speedsLine, valueCell } from './words.ts'

/** The load that a product should run at. `evidence` is of the way to serve that was chosen. */
export function choiceDocument(choice: Choice, evidence?: Evidence): Document {
  return {
    title: `Where to run${forWhom(choice.product)}: ${goalOf(choice.product)}`,
    sections: [
      ...plain('The choice', { kind: 'cards', cards: [choiceCard(choice)] }),
      ...plain('The frontier', choiceChart([choice], evidence)),
      ...loadsSections(evidence),
      ...choiceSections(choice),
      ...settingsSection(choice.settings),
      ...alternativesSection(choice.alternatives),
    ],
  }
}

/** Where no product was named: what is advised for several. */
export function adviceDocument(evidence: Evidence, advice: readonly Advice[]): Document {
  const choices = advice.flatMap(({ choice }) => choice ?? [])
  return {
    title: 'Where to run',
    sections: [
      ...plain('The choice', { kind: 'cards', cards: choices.map(choiceCard) }),
      ...plain('The frontier', choiceChart(choices, evidence)),
      ...loadsSections(evidence),
      ...plain('Where to run', sentences(...advice.map(({ sentence }) => sentence))),
    ],
  }
}

/** The point, why this one, how sure it is, and what it costs. */
export function choiceSections(choice: Choice): readonly Section[] {
  const { configuration } = choice.choice
  const on = configuration === undefined ? '' : `${configuration}, `
  return [
    ...plain(
      'The choice',
      sentences(
        `Choice${forWhom(choice.product)}: ${on}${speedsLine(choice)}`,
        choice.reason,
        choice.chosenBy?.sentence,
        choice.confidence?.sentence,
      ),
    ),
    ...section(
      'What the point costs',
      sentences(...(choice.against ?? []).map(({ sentence }) => sentence), choice.priceOfPace?.sentence),
    ),
  ]
}

export function choiceCard({ product, choice, confidence }: Choice): Card {
  const { concurrency, tokensPerSecondPerUser, outputTokensPerSecond, tokensPerSecondPerGpu, source } = choice
  const { configuration, perMillionOutputTokens: cost, ttftMs } = choice
  const how = confidence?.class ?? source
  return {
    title: product.name === 'objective' ? goalOf(product) : product.name,
    headline: `${configuration === undefined ? '' : `${configuration}: `}${figure(concurrency)} in flight (${how})`,
    figures: [
      { value: figure(tokensPerSecondPerUser), unit: 'tok/s per user' },
      {
        value: figure(tokensPerSecondPerGpu ?? outputTokensPerSecond),
        unit: `tok/s per ${tokensPerSecondPerGpu === undefined ? 'server' : 'GPU'}`,
      },
      ...(ttftMs === undefined ? [] : [{ value: figure(ttftMs), unit: 'ms to the first token' }]),
      ...(cost === undefined ? [] : [{ value: moneyCell(cost), unit: 'a million output tokens' }]),
    ],
  }
}

export function alternativesSection(alternatives: readonly Alternative[] = []): readonly Section[] {
  const name = 'Other ways to serve'
  return section(
    name,
    { kind: 'table', name, table: alternativesTable(alternatives) },
    { kind: 'list', items: alternatives.filter(({ choice }) => choice !== undefined).map(ofWay), isLong: true },
    { kind: 'list', items: alternatives.filter(({ choice }) => choice === undefined).map(ofWay) },
  )
}

function alternativesTable(alternatives: readonly Alternative[]): Table {
  // The choice has the first place.
  const points = alternatives.flatMap(({ configuration, choice }, i) =>
    choice === undefined ? [] : [{ ...choice, place: i + 2, configuration }],
  )
  const hasWait = points.some(({ ttftMs }) => ttftMs !== undefined)
  const hasCost = points.some(({ perMillionOutputTokens }) => perMillionOutputTokens !== undefined)
  return {
    columns: [
      { head: ['', ''] },
      { head: ['way to serve', ''], align: 'left' },
      { head: ['in flight', ''] },
      { head: ['tok/s/user', ''] },
      { head: ['tok/s', 'per GPU'] },
      ...(hasWait ? [{ head: ['TTFT, ms', ''] }] : []),
      ...(hasCost ? [{ head: ['a million', 'output tokens'] }] : []),
    ],
    rows: points.map((point) => [
      figure(point.place),
      point.configuration,
      figure(point.concurrency),
      figure(point.tokensPerSecondPerUser),
      valueCell(point.tokensPerSecondPerGpu),
      ...(hasWait ? [valueCell(point.ttftMs)] : []),
      ...(hasCost ? [moneyCell(point.perMillionOutputTokens)] : []),
    ]),
  }
}
