import { expect, test } from 'vitest'
import { figures } from './figures.ts'
import { failedOf, recordOf } from './records.ts'

const every = (count: number, gapUs: number): number[] => Array.from({ length: count }, () => gapUs)

test('reasons that only the runner knows are kept, those that follow from the records are found anew', () => {
  const steadyStored = { startS: 0, endS: 10, steady: true, reasons: ['windowTooShort', 'littlesLaw', 'empty'] }
  const { window } = figures([recordOf({ sentUs: 1_000_000 })], {
    header: { window: steadyStored },
  })
  expect(window).toEqual({ startS: 0, endS: 10, steady: false, reasons: ['windowTooShort'] })
})

test('L and λW of a trace are not held against each other where its end cuts too much of it', () => {
  // All come within a second and stay for three: none has left at its end.
  const stays = [0, 250_000, 500_000].map((sentUs) => recordOf({ sentUs, gapsUs: every(30, 100_000) }))
  const reasonsOf = (kind: 'trace' | 'rate', endS: number) =>
    figures(stays, { header: { load: { kind, value: 1 }, window: { startS: 0, endS, steady: true, reasons: [] } } })
      .window.reasons
  expect(reasonsOf('trace', 1)).toEqual(['windowTooShort'])
  expect(reasonsOf('rate', 1)).toEqual(['littlesLaw'])
  expect(reasonsOf('trace', 100)).toEqual([])
})

test('a window with nothing in flight is not steady', () => {
  expect(figures([]).window).toEqual({ startS: 0, endS: 10, steady: false, reasons: ['empty'] })
})

test('a window without length is a bug of the caller', () => {
  expect(() => figures([], { startS: 10, endS: 10 })).toThrow(RangeError)
  expect(() => figures([], { startS: 10, endS: Number.NaN })).toThrow(RangeError)
})

test('what the generator knew of itself is kept; lateness is found anew', () => {
  const generator = { cpu: 0.5, saturated: false, lateMs: { mean: 99 } }
  const early = recordOf({ sentUs: 1_000_000 })
  expect(figures([early], { header: { generator } }).generator).toEqual({ cpu: 0.5, saturated: false })
  const late = { ...early, scheduledS: 0.99 }
  expect(figures([late], { header: { generator } }).generator.lateMs?.max).toBe(10)
})

test('output that falls over 2 % short of what was asked is noted, and 2 % is not', () => {
  const answer = (sentUs: number, outputTokens: number) =>
    recordOf({ sentUs, gapsUs: every(outputTokens - 1, 1000), askedOutputTokens: 100 })
  expect(figures([answer(0, 98), answer(1, 98)]).notes).toBeUndefined()
  expect(figures([answer(0, 98), answer(1, 97)]).notes).toEqual(['outputShortfall'])
})

test('a first event of many tokens stands beside TPOT, and is noted when it moves it by over 5 %', () => {
  const stream = (first: number) =>
    recordOf({ gapsUs: every(100, 10_000), tokensPerEvent: [first, ...every(100, 1)], outputTokens: first + 100 })
  const plain = figures([stream(1)])
  expect(plain.latency.tpotMs.mean).toBe(10)
  expect(plain.latency.tpotAfterFirstEventMs).toBeUndefined()
  const slight = figures([stream(5)])
  expect(slight.latency.tpotAfterFirstEventMs?.mean).toBe(10)
  expect(slight.notes).toBeUndefined()
  const heavy = figures([stream(11)])
  expect(heavy.latency.tpotMs.mean).toBeCloseTo(1000 / 110, 9)
  expect(heavy.latency.tpotAfterFirstEventMs?.mean).toBe(10)
  expect(heavy.notes).toEqual(['firstEventBundled'])
})

test('gaps per token are told only where events bore other than one token', () => {
  const single = recordOf({ gapsUs: [10_000, 10_000], tokensPerEvent: [1, 1, 1], outputTokens: 3 })
  expect(figures([single]).latency.itlPerTokenMs).toBeUndefined()
  const double = recordOf({ sentUs: 1, gapsUs: [10_000, 10_000], tokensPerEvent: [1, 2, 2], outputTokens: 5 })
  expect(figures([single, double]).latency.itlPerTokenMs).toMatchObject({ mean: 40 / 6, max: 10, p50: 5 })
})

test('a gap that ends in an event of no token is part of the next one', () => {
  const record = recordOf({ gapsUs: [10_000, 30_000], tokensPerEvent: [1, 0, 2], outputTokens: 3 })
  expect(figures([record]).latency.itlPerTokenMs).toMatchObject({ mean: 20, max: 20 })
})

test('an answer of several choices has tokens and times, but no pace of one user', () => {
  const record = recordOf({ gapsUs: every(19, 10_000), choices: 2 })
  const point = figures([record], { objectives: { tokensPerSecond: 5 } })
  expect(point.outputTokensPerSecond).toBe(2)
  expect(point.latency.ttftMs.mean).toBe(100)
  expect(point.latency.e2eMs.mean).toBe(290)
  expect(point.perUser).toEqual({ tokensPerSecond: {}, endToEndTokensPerSecond: {} })
  expect([point.latency.tpotMs, point.latency.itlMs]).toEqual([{}, {}])
  expect(point.littlesLaw.decodeInFlight).toBeGreaterThan(0)
  expect(point.littlesLaw.decodeTokensPerSecondPerUser).toBeUndefined()
  expect(point.goodput).toBeUndefined()
  expect(point.notes).toEqual(['severalChoices'])
})

test('tokens whose event counts do not add up to the count of the answer are neither lost nor made', () => {
  const record = recordOf({ gapsUs: [1_000_000, 1_000_000], tokensPerEvent: [1, 1, 2], outputTokens: 8 })
  expect(figures([record]).tokens.output).toBe(8)
  expect(figures([record], { endS: 2 }).tokens.output).toBe(4)
})

test('the source is of the answers that enter a figure: warm-up and drain do not make it mixed', () => {
  const counted = recordOf({ sentUs: 5_000_000, tokenSource: 'usage' })
  const drained = recordOf({ sentUs: 10_000_000, outcome: 'cancelled' })
  const before = recordOf({ sentUs: 1_000_000 })
  expect(figures([counted, drained, before], { startS: 4 }).tokens.source).toBe('usage')
  expect(figures([counted, drained, before], { startS: 1 }).tokens.source).toBe('mixed')
  expect(figures([failedOf(0)]).tokens.source).toBeUndefined()
})

test('each pool has its own figure beside that of all GPUs, which the pools make together', () => {
  const record = recordOf({ gapsUs: every(19, 10_000), inputTokens: 600 })
  expect(figures([record], { hardware: { prefillGpus: 2, decodeGpus: 4 } }).perGpu).toEqual({
    outputTokensPerSecond: 2 / 6,
    totalTokensPerSecond: 62 / 6,
    prefillPoolInputTokensPerSecond: 30,
    decodePoolOutputTokensPerSecond: 0.5,
  })
  expect(figures([record]).perGpu).toBeUndefined()
})

test('goodput: a pace floor is a limit too, one token has no pace, the dropped miss, the cancelled are left out', () => {
  const objectives = { tokensPerSecond: 50 }
  const at50 = recordOf({ sentUs: 1, gapsUs: every(10, 20_000) })
  const at49 = recordOf({ sentUs: 2, gapsUs: every(10, 20_400) })
  const one = recordOf({ sentUs: 3, gapsUs: [] })
  const dropped = { ...failedOf(4), outcome: 'dropped' as const }
  const cancelled = recordOf({ sentUs: 5, gapsUs: every(10, 90_000), outcome: 'cancelled' })
  expect(figures([at50, at49, one, dropped, cancelled], { objectives }).goodput).toEqual({
    attainment: 0.5,
    requestsPerSecond: 0.2,
  })
  expect(figures([cancelled], { objectives }).goodput).toBeUndefined()
  expect(figures([at50], { objectives: {} }).goodput).toBeUndefined()
})

test('a dropped request belongs to the window in which it was due', () => {
  const dropped = { ...failedOf(12_000_000), outcome: 'dropped' as const, scheduledS: 9 }
  expect(figures([dropped]).requests).toMatchObject({ sent: 0, dropped: 1 })
  expect(figures([dropped], { startS: 10, endS: 20 }).requests).toMatchObject({ sent: 0, dropped: 0 })
})

test('the time to connect is of the requests that paid it, and is no part of TTFT', () => {
  const { latency } = figures([recordOf({ connectMs: 12 }), recordOf({ sentUs: 1 })])
  expect(latency.connectMs).toMatchObject({ mean: 12, max: 12 })
  expect(latency.ttftMs.max).toBe(100)
})

test('a token at the very edge belongs to one window, whatever 0.1 + 0.2 is', () => {
  // 0.1 s and two gaps of 0.1 s: 0.30000000000000004 in binary fractions.
  const record = recordOf({ gapsUs: [100_000, 100_000] })
  expect(figures([record], { endS: 0.3 }).tokens.output).toBe(2)
  expect(figures([record], { startS: 0.3 }).tokens.output).toBe(1)
})

test('figures may be asked for while records still come', () => {
  const records = [recordOf({ sentUs: 1 }), recordOf({ sentUs: 2, ttftUs: 300_000 })]
  expect(figures(records.slice(0, 1)).latency.ttftMs.p50).toBe(100)
  expect(figures(records).latency.ttftMs.p50).toBe(200)
})

test('a failure without a stay leaves as every request does, unless a simulator refused it: then it held no place', () => {
  const simulation = { pools: [], series: [], preemptions: 0, recomputedTokens: 0, cachedTokens: 0 }
  const records = [recordOf({ sentUs: 1_000_000 }), failedOf(2_000_000, 0)]
  expect(figures(records).littlesLaw.completionsPerSecond).toBe(0.2)
  expect(figures(records, { header: { simulation } }).littlesLaw.completionsPerSecond).toBe(0.1)
})

test('who began before the window did not begin inside it, though a time-out outlasts it; of a simulation that is one unserved', () => {
  const simulation = { pools: [], series: [], preemptions: 0, recomputedTokens: 0, cachedTokens: 0 }
  const before = { ...failedOf(0, 20_000_000), error: { kind: 'timeout', message: 'no answer' } } as const
  const span = { startS: 1, endS: 10, objectives: { ttftMs: 500 } }
  const [measured, simulated] = [
    figures([before], span),
    figures([before], { ...span, header: { simulation, window: { startS: 1, endS: 10, steady: true, reasons: [] } } }),
  ]
  expect(measured.requests.failed).toBe(0)
  expect(measured.goodput).toBeUndefined()
  expect(simulated.requests.failed).toBe(1)
  expect(simulated.goodput?.attainment).toBe(0)
  expect(measured.littlesLaw.inFlight).toBe(1)
})
