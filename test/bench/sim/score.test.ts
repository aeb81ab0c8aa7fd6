import { expect, test } from 'vitest'
import { betweenRows, nearby } from '../../../bench/sim/grid.ts'
import { scoreOf } from '../../../bench/sim/score.ts'

const requests = [1, 2, 4].map((scale, i) => ({
  atS: i,
  promptTokens: 10,
  outputTokens: 11,
  outcome: { firstTokenS: i + scale, lastTokenS: i + 11 * scale },
}))

const played = (factor: number) => ({
  firstTokenS: Float64Array.from(requests, ({ atS, outcome }) => atS + factor * (outcome.firstTokenS - atS)),
  lastTokenS: Float64Array.from(requests, ({ atS, outcome }) => atS + factor * (outcome.lastTokenS - atS)),
  unanswered: 0,
  preemptions: 0,
  outputTokens: new Float64Array(),
  running: new Float64Array(),
  waiting: new Float64Array(),
})

test('the truth has no error, and a run a tenth too slow has one of ten per cent in every figure', () => {
  for (const { time: _, ...figures } of scoreOf(requests, played(1), 0)) {
    for (const { errorPct } of Object.values(figures)) expect(errorPct).toBeCloseTo(0, 9)
  }
  for (const { time: _, ...figures } of scoreOf(requests, played(1.1), 0)) {
    for (const { errorPct } of Object.values(figures)) expect(errorPct).toBeCloseTo(10, 9)
  }
})

test('only requests from the index on are scored', () => {
  const [ttft, tpot, e2e] = scoreOf(requests, played(1), 1)
  expect(ttft?.mean.measuredS).toBeCloseTo(3, 9)
  expect(tpot?.mean.measuredS).toBeCloseTo(3, 9)
  expect(e2e?.mean.measuredS).toBeCloseTo(33, 9)
})

test('between rows of a table values are straight, and beyond its ends too', () => {
  const table = new Map([
    [1, 10],
    [2, 20],
    [4, 60],
  ])
  const at = (x: number) => betweenRows([1, 2, 4], (row) => table.get(row) ?? 0, x)
  expect([0, 1, 1.5, 2, 3, 4, 5].map(at)).toEqual([0, 10, 15, 20, 40, 60, 80])
})

test('a scattered point says what stands nearest', () => {
  const points = [
    { at: [0, 0], value: 1 },
    { at: [8, 0], value: 5 },
  ]
  expect(nearby(points, [0, 0])).toBeCloseTo(1, 3)
  expect(nearby(points, [8, 0])).toBeCloseTo(5, 3)
  expect(nearby(points, [4, 0])).toBeCloseTo(3, 9)
})
