import { type ChoiceTable, type ProductChoice, percent } from '../../core/index.ts'
import { alternativesSection, choiceCard, choiceSections } from './choice-document.ts'
import { type Document, oneOf, plain, section, sentences } from './document.ts'
import { choiceChart } from './frontier.ts'
import { settingsSection } from './settings.ts'
import { goalOf, moneyCell, valueCell } from './words.ts'

/** Several products: one line each, whether they should share their servers, then each in full. */
export function productsDocument({ products, pools }: ChoiceTable): Document {
  const answers = products.flatMap((row) => ('answer' in row ? [row.answer] : []))
  const name = 'Each product'
  return {
    title: `Where to run ${products.map(({ product }) => product.name).join(', ')}`,
    sections: [
      ...plain(name, { kind: 'cards', cards: answers.map(choiceCard) }),
      ...plain(
        name,
        { kind: 'table', name, table: productsTable(products) },
        { kind: 'doubts', lines: products.flatMap(refusalLines) },
      ),
      ...section(
        'One pool or several',
        sentences(
          pools &&
            `Of all output tokens: ${pools.shares.map(({ product, share }) => `${product} ${percent(share)}`).join(', ')}.`,
          pools?.sentence,
        ),
      ),
      ...answers.flatMap((answer) => [
        ...section(`${answer.product.name}: ${goalOf(answer.product)}`, choiceChart([answer])),
        ...oneOf(
          answer.product.name,
          [...choiceSections(answer), ...settingsSection(answer.settings)],
          alternativesSection(answer.alternatives),
        ),
      ]),
    ],
  }
}

function productsTable(products: readonly ProductChoice[]) {
  const answers = products.flatMap((row) => ('answer' in row ? [row.answer] : []))
  const hasWay = answers.some(({ choice }) => choice.configuration !== undefined)
  const hasCost = answers.some(({ choice }) => choice.perMillionOutputTokens !== undefined)
  const isPerGpu = answers.some(({ choice }) => choice.tokensPerSecondPerGpu !== undefined)
  const hasWait = answers.some(({ choice }) => choice.ttftMs !== undefined)
  return {
    columns: [
      { head: ['product'], align: 'left' as const },
      { head: ['asks for'], align: 'left' as const },
      ...(hasWay ? [{ head: ['way to serve'], align: 'left' as const }] : []),
      { head: ['in flight'] },
      { head: ['tok/s/user'] },
      { head: [isPerGpu ? 'tok/s/GPU' : 'tok/s'] },
      ...(hasWait ? [{ head: ['TTFT, ms'] }] : []),
      ...(hasCost ? [{ head: ['a million tokens'] }] : []),
      { head: ['binds'] },
    ],
    rows: products.map((row) => {
      const choice = 'answer' in row ? row.answer.choice : undefined
      const rate = isPerGpu ? choice?.tokensPerSecondPerGpu : choice?.outputTokensPerSecond
      return [
        row.product.name,
        goalOf(row.product),
        ...(hasWay ? [choice?.configuration ?? '–'] : []),
        valueCell(choice?.concurrency),
        valueCell(choice?.tokensPerSecondPerUser),
        valueCell(rate),
        ...(hasWait ? [valueCell(choice?.ttftMs)] : []),
        ...(hasCost ? [moneyCell(choice?.perMillionOutputTokens)] : []),
        'answer' in row ? row.answer.bindingConstraint : 'not held',
      ]
    }),
  }
}

const refusalLines = (row: ProductChoice): readonly string[] =>
  'error' in row ? [`${row.product.name} is not held: ${row.error.message}. ${row.error.hint}`] : []
