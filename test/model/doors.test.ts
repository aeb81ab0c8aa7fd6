import { describe, expect, it } from 'vitest'
import { type PointsRow, TwospeedError } from '../../src/core/index.ts'
import {
  type Configuration,
  createConfiguration,
  findAccelerator,
  findModel,
  fitPoints,
  type Parallelism,
  parseLaw,
  pointsOfRows,
  predict,
  predictSearch,
  predictSplit,
} from '../../src/model/index.ts'
import { choose, evidenceOfRows, PRODUCTS } from '../../src/plan/index.ts'

const MODEL = findModel('llama-3.1-8b')
const GPU = findAccelerator('h100-sxm')
const LENGTHS = { inputTokens: 1024, outputTokens: 256 }
const POOL = { count: 1, tp: 1 }
const configurationOf = (parallelism: Partial<Parallelism>): Configuration =>
  createConfiguration({ model: MODEL, gpu: GPU, ...parallelism })

const asked = { lengths: LENGTHS, configurationOf }
const one = (options: object): unknown => predict(configurationOf({}), { lengths: LENGTHS, ...options })
const split = (options: object): unknown => predictSplit({ ...asked, prefill: POOL, decode: POOL, ...options })
const search = (options: object): unknown => predictSearch({ ...asked, model: MODEL, gpu: GPU, gpus: 2, ...options })

const ROWS: readonly PointsRow[] = [1, 2, 4, 8, 16].map((concurrency) => ({
  concurrency,
  outputTokensPerSecond: (1000 * concurrency) / (10 + concurrency),
}))
const fitOne = (row: object, ...rest: readonly object[]): unknown =>
  fitPoints(pointsOfRows([{ ...(ROWS[0] as PointsRow), ...row }, ...ROWS.slice(1)]), ...rest)
const chosen = (product: object): unknown => choose(evidenceOfRows(ROWS), { ...PRODUCTS.chat, ...product })

const NONE = [Number.NaN, Number.POSITIVE_INFINITY, -1]

const DOORS: Readonly<Record<string, (value: number) => unknown>> = {
  'the input length of a prediction': (value) => one({ lengths: { ...LENGTHS, inputTokens: value } }),
  'its output length': (value) => one({ lengths: { ...LENGTHS, outputTokens: value } }),
  'a load of it': (value) => one({ loads: [1, value] }),
  'its price': (value) => one({ pricePerHour: value }),
  'a length of split pools': (value) => split({ lengths: { ...LENGTHS, outputTokens: value } }),
  'a load of split pools': (value) => split({ loads: [value] }),
  'their floor': (value) => split({ floor: value }),
  'their link': (value) => split({ link: { name: 'link', bytesPerSecond: value } }),
  'instances of one of them': (value) => split({ decode: { count: value, tp: 1 } }),
  'the GPUs of a search': (value) => search({ gpus: value }),
  'its wait': (value) => search({ ttftMs: value }),
  'the load of a row': (value) => fitOne({ concurrency: value }),
  'the output of a row': (value) => fitOne({ outputTokensPerSecond: value }),
  'the pace of a row': (value) => fitOne({ tokensPerSecondPerUser: value }),
  'the wait of a row': (value) => fitOne({ ttftMs: value }),
  'the GPUs of a fit': (value) => fitOne({}, { gpus: value }),
  'a load asked of a fit': (value) => fitOne({}, {}, [value]),
  'the floor of a product': (value) => chosen({ tokensPerSecond: value }),
  'its longest wait': (value) => chosen({ ttftMs: value }),
}

function codeOf(make: () => unknown): string | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    if (error instanceof TwospeedError) return error.code
    throw error
  }
}

describe('the doors of the library', () => {
  it.each(Object.entries(DOORS))('let in no number that is none: %s', (_, door) => {
    for (const value of NONE)
      expect(
        codeOf(() => door(value)),
        String(value),
      ).toBe('INVALID_VALUE')
  })

  it.each(Object.entries(DOORS))('let in one that is: %s', (_, door) => {
    expect(codeOf(() => door(1))).not.toBe('INVALID_VALUE')
  })

  it('name all that is wrong at once', () => {
    const wrong = (): unknown => one({ loads: [8, Number.NaN], pricePerHour: 1e308 })
    expect(wrong).toThrow(/a load is NaN, .*; the price of a GPU hour is 1e\+308/)
  })

  it('refuse no loads at all, and a law whose steps take no time', () => {
    expect(codeOf(() => split({ loads: [] }))).toBe('INVALID_VALUE')
    expect(codeOf(() => parseLaw({ stepMs: { base: 1e-320, perSequence: 0 } }))).toBe('INVALID_VALUE')
    expect(parseLaw({ stepMs: { base: 1e-3, perSequence: 0 } }).baseS).toBe(1e-6)
  })

  it('give each load once, ascending', () => {
    const loads = [8, 8, 1]
    const single = predict(configurationOf({}), { lengths: LENGTHS, loads })
    const pools = predictSplit({ ...asked, prefill: POOL, decode: POOL, loads })
    for (const { frontier } of [single, pools]) expect(frontier.map(({ concurrency }) => concurrency)).toEqual([1, 8])
  })
})
