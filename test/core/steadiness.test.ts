import { expect, test } from 'vitest'
import type { Point } from '../../src/core/index.ts'
import { figures } from './figures.ts'
import { shareOf } from './noise.ts'
import { noisyLoop } from './noisy-loop.ts'
import { recordOf } from './records.ts'

const window = { startS: 5, endS: 35 }
const pointOf = (seed: number, speed?: (atS: number) => number): Point =>
  figures(noisyLoop({ seed, ...(speed && { speed }) }), window)

const drifts = (share: number) => (atS: number) => 1 - (share * (atS - 5)) / 30

test('a server that is only noisy is steady', () => {
  expect(shareOf(100, (seed) => pointOf(seed).window.steady)).toBeGreaterThanOrEqual(0.99)
})

test('a server that loses 10 % through the window is not, and the point says by how much in both figures', () => {
  expect(shareOf(50, (seed) => pointOf(seed, drifts(0.1)).window.reasons.includes('trend'))).toBeGreaterThan(0.98)
  const { window: judged, trends = [] } = pointOf(1, drifts(0.1))
  expect(judged).toMatchObject({ steady: false, reasons: ['trend'] })
  expect(trends.map(({ figure }) => figure)).toEqual(['outputTokensPerSecond', 'decodeTokensPerSecondPerUser'])
  for (const { change } of trends) expect(change).toBeCloseTo(-0.105, 1)
})

test('a drift of 3 % is of no account', () => {
  expect(shareOf(50, (seed) => pointOf(seed, drifts(0.03)).window.steady)).toBeGreaterThan(0.98)
})

test('a server that slows down at once is told with the moment', () => {
  const [output] = pointOf(2, (atS) => (atS < 20 ? 1 : 0.7)).trends ?? []
  expect(output).toMatchObject({ figure: 'outputTokensPerSecond', kind: 'step' })
  expect(Math.abs((output?.atS ?? 0) - 20)).toBeLessThanOrEqual(1)
})

test('a trend that stands in the file is judged anew', () => {
  const header = { window: { ...window, steady: false, reasons: ['trend', 'windowTooShort'] } }
  expect(figures(noisyLoop({ seed: 1 }), { ...window, header }).window.reasons).toEqual(['windowTooShort'])
})

test('a trace brings a load that is not held, so its output need not be', () => {
  const records = noisyLoop({ seed: 1, speed: drifts(0.2) })
  const header = { load: { kind: 'trace', value: 1 } as const }
  expect(figures(records, { ...window, header })).not.toHaveProperty('trends')
  expect(figures(records, window)).toHaveProperty('trends')
})

test('each interval stands at the place of its figure and holds it', () => {
  const { intervals, outputTokensPerSecond, perUser, latency, littlesLaw } = figures(
    noisyLoop({ seed: 3, users: 40 }),
    window,
  )
  const pairs = [
    [outputTokensPerSecond, intervals?.outputTokensPerSecond],
    [perUser.tokensPerSecond.p50, intervals?.perUser?.tokensPerSecond.p50],
    [perUser.tokensPerSecond.p10, intervals?.perUser?.tokensPerSecond.p10],
    [latency.ttftMs.p50, intervals?.latency?.ttftMs?.p50],
    [latency.ttftMs.p99, intervals?.latency?.ttftMs?.p99],
    [latency.tpotMs.p50, intervals?.latency?.tpotMs?.p50],
    [littlesLaw.inFlight, intervals?.littlesLaw?.inFlight],
    [littlesLaw.decodeTokensPerSecondPerUser, intervals?.littlesLaw?.decodeTokensPerSecondPerUser],
  ] as const
  for (const [value = 0, interval] of pairs) {
    expect(interval?.low).toBeLessThanOrEqual(value)
    expect(interval?.high).toBeGreaterThanOrEqual(value)
    expect(interval?.batches).toBeGreaterThanOrEqual(10)
  }
})

test('the truth lies in the interval of rate and of percentile about 19 times in 20', () => {
  // A window fifty times as long stands for the truth.
  const truth = figures(noisyLoop({ seed: 'truth', untilS: 1500 }), { startS: 5, endS: 1495 })
  const held = (value: number | undefined, interval: { low: number; high: number } | undefined): boolean =>
    value !== undefined && interval !== undefined && interval.low <= value && value <= interval.high
  const points = Array.from({ length: 150 }, (_, seed) => pointOf(seed))
  const shares = [
    (point: Point) => held(truth.outputTokensPerSecond, point.intervals?.outputTokensPerSecond),
    (point: Point) => held(truth.perUser.tokensPerSecond.p50, point.intervals?.perUser?.tokensPerSecond.p50),
    (point: Point) => held(truth.perUser.tokensPerSecond.p10, point.intervals?.perUser?.tokensPerSecond.p10),
    (point: Point) => held(truth.latency.ttftMs.p50, point.intervals?.latency?.ttftMs?.p50),
  ].map((holds) => points.filter(holds).length / points.length)
  for (const share of shares) expect(share).toBeGreaterThan(0.91)
})

test('too little to judge by gives no interval and no trend', () => {
  const few = Array.from({ length: 9 }, (_, at) => recordOf({ sentUs: at * 400_000 }))
  expect(figures(few)).not.toHaveProperty('trends')
  expect(figures(few).intervals).toBeUndefined()
  // A hundred answers bound no p99.
  const { intervals } = pointOf(1)
  expect(intervals?.latency?.ttftMs?.p50).toBeDefined()
  expect(intervals?.latency?.ttftMs?.p99).toBeUndefined()
})
