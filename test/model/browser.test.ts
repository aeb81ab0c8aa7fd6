import { expect, test } from 'vitest'
import { hasBrowser, inBrowser } from '../../bench/browser.ts'
import type * as model from '../../src/model/index.ts'

/** Without a browser this test is left out, except where TWOSPEED_BROWSER says that there must be one. */
const without = !hasBrowser && process.env.TWOSPEED_BROWSER !== 'required'

/** A fit, a prediction and a search. Its text is sent to the page, so it may use nothing but what it is given. */
function answers(m: typeof model): string {
  const configurationOf = (layout: object): model.Configuration =>
    m.createConfiguration({ model: m.findModel('gpt-oss-120b'), gpu: m.findAccelerator('h100'), ...layout })
  const lengths = { inputTokens: 1000, outputTokens: 300 }
  const two = configurationOf({ tp: 2 })
  const points = m.pointsOfRows([
    { concurrency: 1, outputTokensPerSecond: 190 },
    { concurrency: 8, outputTokensPerSecond: 1100 },
    { concurrency: 32, outputTokensPerSecond: 3000 },
  ])
  // The last digits of an exponential are each engine's own.
  const nineDigits = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(9)) : value
  const said = [
    m.predict(two, { lengths, loads: [1, 16, 256] }),
    m.predictSearch({ model: two.model, gpu: two.gpu, gpus: 4, lengths, configurationOf }),
    m.fitLaw(points, { experts: { active: 4, all: 128 } }).fit,
  ]
  return JSON.stringify(said, nineDigits, 1)
}

test.skipIf(without)(
  'the built model says in a browser what it says in Node',
  async () => {
    const built = new URL('../../dist/model/index.js', import.meta.url).href
    const inNode = answers((await import(/* @vite-ignore */ built)) as typeof model)
    const inPage = await inBrowser(async (page) => {
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      const said: unknown = await page.evaluate(`import('/dist/model/index.js').then(${answers})`)
      expect(complaints).toEqual([])
      return said
    })
    expect(inPage).toBe(inNode)
    for (const key of ['tokensPerSecondPerUser', 'considered', 'soloLimitTokensPerSecond'])
      expect(inNode).toContain(key)
  },
  60_000,
)
