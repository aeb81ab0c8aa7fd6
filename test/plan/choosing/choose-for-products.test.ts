import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseForProducts, evidenceOfRows, type Product } from '../../../src/plan/index.ts'
import { candidateOf, evidenceOfLine, LESSON } from '../../support/candidates.ts'

const asked = (name: string, tokensPerSecond: number, ttftMs?: number): Product => ({
  name,
  goal: 'pace',
  tokensPerSecond,
  ...(ttftMs !== undefined && { ttftMs }),
})
const NIGHT: Product = { name: 'night', goal: 'throughput' }
const lesson = candidateOf('lesson', evidenceOfLine({ ...LESSON, gpus: 1 }))

describe('several products', () => {
  it('of the lesson: 20, 60 and 80, and what one pool for all takes more', () => {
    const { products, pools } = chooseForProducts([lesson], [asked('live', 100), asked('chat', 50), NIGHT])
    expect(products.map((row) => 'answer' in row && row.answer.choice.concurrency)).toEqual([20, 60, 80])
    // A third of the tokens at 2 000, 3 000 and 3 200 tok/s each, beside all of them at 2 000.
    const own = (1 / 2000 + 1 / 3000 + 1 / 3200) / 3
    expect(pools).toMatchObject({ better: 'specialised', shared: { strictest: 'live', choice: { concurrency: 20 } } })
    expect(pools?.specialised.tokensPerSecondPerGpu).toBeCloseTo(1 / own, 6)
    expect(pools?.gain).toBeCloseTo(1 - own * 2000, 9)
    expect(pools?.sentence).toContain('runs where live is held, 20 in flight')
    expect(pools?.sentence).toContain('takes 24 % less hardware')
  })

  it('by the shares that are given, of output tokens', () => {
    const { pools } = chooseForProducts([lesson], [asked('live', 100), asked('chat', 50)], { shares: [9, 1] })
    expect(pools?.shares).toEqual([
      { product: 'live', share: 0.9 },
      { product: 'chat', share: 0.1 },
    ])
    // 0.9/2000 + 0.1/3000 beside 1/2000.
    expect(pools?.gain).toBeCloseTo(0.1 / 3, 9)
    expect(pools?.better).toBe('shared')
    expect(pools?.sentence).toContain('3.3 % less hardware: not worth')
  })

  it('one that holds nowhere says so in its row and hides no other', () => {
    const { products, pools } = chooseForProducts([lesson], [asked('chat', 50), asked('dream', 500)])
    const [chat, dream] = products
    expect(chat).toMatchObject({ product: { name: 'chat' }, answer: { choice: { concurrency: 60 } } })
    expect(dream).toMatchObject({ product: { name: 'dream' }, error: { code: 'NO_POINT_HOLDS' } })
    expect(pools).toBeUndefined()
  })

  it('is refused where none of them holds, with what each lacks, and where shares are not one for each', () => {
    const all = () => chooseForProducts([lesson], [asked('dream', 500), asked('wish', 300)])
    expect(all).toThrow(/dream: no load gives 500 .*; wish: no load gives 300/)
    const three = () => chooseForProducts([lesson], [asked('a', 50), asked('b', 60)], { shares: [1, 2, 3] })
    expect(three).toThrow(/the shares of 2 products are 2 numbers above 0, and not 1, 2, 3/)
    expect(() => chooseForProducts([lesson], [asked('a', 50)], { shares: [0] })).toThrow(/above 0/)
  })

  it('that contradict one another cannot share: each holds on a server that the other does not', () => {
    const quick = candidateOf('quick', evidenceOfLine({ a: 0.004, b: 0.0002, gpus: 1, ttftMs: () => 900 }))
    const prompt = candidateOf('prompt', evidenceOfLine({ a: 0.02, b: 0.0002, gpus: 1, ttftMs: () => 100 }))
    const products = [asked('code', 100, 2000), asked('voice', 10, 200)]
    const { pools, products: rows } = chooseForProducts([quick, prompt], products)
    expect(rows.every((row) => 'answer' in row)).toBe(true)
    expect(pools?.better).toBe('specialised')
    expect(pools?.shared).toBeUndefined()
    expect(pools?.sentence).toContain('code and voice cannot share a pool')
    const allowed = chooseForProducts([quick, prompt], [asked('code', 100, 2000), asked('patient', 10, 1000)])
    expect(allowed.pools?.shared).toMatchObject({ strictest: 'code', choice: { configuration: 'quick' } })
  })

  it('where the server itself ends the load, those that ask for the most of what is had there are the strictest', () => {
    const limited = evidenceOfRows(
      [20, 40, 80, 160].map((load) => {
        const held = Math.min(load, 40)
        const paceTokens = held / (0.005 + 0.00025 * held)
        return { concurrency: load, outputTokensPerSecond: paceTokens, tokensPerSecondPerUser: paceTokens / held }
      }),
      { gpus: 1 },
    )
    const strictest = (...products: Product[]) =>
      chooseForProducts([candidateOf('limited', limited)], products).pools?.shared?.strictest
    expect(strictest(asked('code', 30), asked('agent', 60))).toBe('agent')
    expect(strictest(asked('agent', 60), asked('code', 30))).toBe('agent')
    expect(strictest(asked('code', 60), asked('agent', 60))).toBe('code and agent')
  })

  it('pools of their own never take more hardware than the shared one', () => {
    const line = fc.record({
      a: fc.double({ min: 1e-3, max: 0.01, noNaN: true }),
      b: fc.double({ min: 1e-5, max: 1e-3, noNaN: true }),
      gpus: fc.integer({ min: 1, max: 8 }),
    })
    const floors = fc.array(fc.double({ min: 5, max: 80, noNaN: true }), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), floors, (given, asks) => {
        const candidates = given.map((one, i) => candidateOf(`c${i}`, evidenceOfLine(one)))
        const { pools } = chooseForProducts(
          candidates,
          asks.map((floor, i) => asked(`p${i}`, floor)),
        )
        expect(pools?.gain).toBeGreaterThanOrEqual(-1e-9)
        expect(pools?.shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9)
        expect(pools?.shared?.choice.tokensPerSecondPerUser).toBeGreaterThanOrEqual(Math.max(...asks) * (1 - 1e-9))
      }),
      { seed: 65, numRuns: 30 },
    )
  })
})
