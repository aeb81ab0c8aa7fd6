import { expect, test } from 'vitest'
import { joinTruth, parseTruth, truthTotals } from '../../bench/truth.ts'

const ORIGIN_NS = 5e9
const ns = (ms: number): number => ORIGIN_NS + ms * 1e6
/** Received at 100 ms; tokens at 150, 170, 200 ms. */
const LINE = { requestId: 'a', receivedNs: ns(100), tokenNs: [ns(150), ns(170), ns(200)] }
const truth = parseTruth(`${JSON.stringify(LINE)}\n`)
/** Sent 1 ms early, its tokens seen 0.5, 1.5 and 0.5 ms late. */
const RECORD = {
  id: 'a',
  sentS: 0.099,
  firstTokenS: 0.1505,
  endS: 0.2005,
  outcome: 'ok',
  gapsUs: [21_000, 29_000],
} as const

test('a record is compared with what the server knows of it', () => {
  const { requests, unmatched } = joinTruth(truth, [RECORD], ORIGIN_NS)
  expect(unmatched).toEqual([])
  const [error] = requests
  expect(error?.ttftMs).toBeCloseTo(1.5)
  expect(error?.trueTtftMs).toBeCloseTo(50)
  expect(error?.tpotMs).toBeCloseTo(0)
  expect(error?.tokenMs.map((ms) => Number(ms.toFixed(3)))).toEqual([0.5, 1.5, 0.5])
  expect(error?.gapMs.map((ms) => Number(ms.toFixed(3)))).toEqual([1, -1])
  expect(error?.trueGapsMs).toEqual([20, 30])
})

test('a record that the server does not know, or counts otherwise, is told and not compared', () => {
  const lost = { ...RECORD, gapsUs: [21_000] }
  expect(joinTruth(truth, [lost, { ...RECORD, id: 'b' }], ORIGIN_NS)).toEqual({ requests: [], unmatched: ['a', 'b'] })
})

test('a record that failed is no business of the comparison', () => {
  expect(joinTruth(truth, [{ ...RECORD, outcome: 'failed' }], ORIGIN_NS)).toEqual({ requests: [], unmatched: [] })
})

test("X, L, λ and W of the server's log: edges belong to the window as everywhere", () => {
  const second = { requestId: 'b', receivedNs: ns(150), tokenNs: [ns(180), ns(250)] }
  const totals = truthTotals([LINE, second], { startS: 0.15, endS: 0.25 }, ORIGIN_NS)
  // Tokens at 150, 170, 200 and 180; the one at 250 is out. In flight: 50 ms of the first, 100 ms of the second, over 100 ms.
  expect(totals.tokensPerSecond).toBeCloseTo(40)
  expect(totals.inFlight).toBeCloseTo(1.5)
  expect(totals.completionsPerSecond).toBeCloseTo(10)
  expect(totals.timeInSystemS).toBeCloseTo(0.1)
})
