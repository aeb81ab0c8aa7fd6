import { expect, it } from 'vitest'
import { choose, evidenceOfRows, PRODUCTS } from '../../src/plan/index.ts'
import { frontierChart } from '../../src/report/frontier-chart.ts'

it('the figure of docs/explain/two-speeds.md is drawn from its example', async () => {
  const evidence = evidenceOfRows(
    [
      { concurrency: 20, outputTokensPerSecond: 2000 },
      { concurrency: 80, outputTokensPerSecond: 3200 },
    ],
    { gpus: 1 },
  )
  const chosen = [{ name: 'floor of 50', goal: 'pace' as const, tokensPerSecond: 50 }, PRODUCTS.batch].map(
    (product) => ({
      product,
      sentence: '',
      choice: choose(evidence, product),
    }),
  )
  const svg = frontierChart(evidence, chosen, 'The frontier of the example', 'GPU')
  await expect(`${svg}\n`).toMatchFileSnapshot('../../docs/explain/frontier.svg')
})
