import { describe, expect, it } from 'vitest'
import { withMeasuredLengths } from '../../../src/cli/planning/measured-lengths.ts'
import { type AskedProduct, evidenceOfRows, measuredCandidate } from '../../../src/plan/index.ts'

const rows = [20, 80].map((concurrency) => ({
  concurrency,
  outputTokensPerSecond: concurrency / (0.005 + 0.00025 * concurrency),
}))
const measured = (name: string, lengths?: { readonly input: number; readonly output: number }) =>
  measuredCandidate(evidenceOfRows(rows, { gpus: 1, ...(lengths && { lengths }) }), { name, kind: 'measured' })

const asked: AskedProduct = {
  product: { name: 'kiosk', goal: 'pace', tokensPerSecond: 50 },
  demand: { arrivalsPerSecond: 5 },
}
const [unknown, short, alike, long] = [
  measured('unknown'),
  measured('short', { input: 500, output: 100 }),
  measured('alike', { input: 510, output: 98 }),
  measured('long', { input: 8000, output: 1000 }),
]

describe('requests of which nothing says how long they are', () => {
  it('are those of the first candidate that knows it, and that is told where others had other ones', () => {
    const { asked: all, warning } = withMeasuredLengths([asked], [unknown, short, long])
    expect(all[0]?.demand).toEqual({ arrivalsPerSecond: 5, inputTokens: 500, outputTokens: 100 })
    expect(warning).toContain('taken as short has them, 500 tokens in and 100 out')
    expect(withMeasuredLengths([asked], [unknown, short, alike])).toEqual({ asked: all })
  })

  it('have the prompts that a product says', () => {
    const own = { ...asked, product: { ...asked.product, inputTokens: 7 } }
    expect(withMeasuredLengths([own], [short]).asked[0]?.demand).toMatchObject({ inputTokens: 7, outputTokens: 100 })
  })

  it('stay unknown where nobody knows it, and as they are where something says it', () => {
    expect(withMeasuredLengths([asked], [unknown])).toEqual({ asked: [asked] })
    const said = { ...asked, demand: { ...asked.demand, outputTokens: 300 } }
    expect(withMeasuredLengths([said], [short, long])).toEqual({ asked: [said] })
  })
})
