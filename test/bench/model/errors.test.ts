import { expect, test } from 'vitest'
import { errorsOf, groupErrors } from '../../../bench/model/errors.ts'
import { coverageOf } from '../../../bench/model/intervals.ts'

const pairs = [
  { predicted: 110, measured: 100 },
  { predicted: 80, measured: 100 },
  { predicted: 100, measured: 100 },
  { predicted: 130, measured: 100 },
  { predicted: 60, measured: 100 },
]

test('errors are relative to what was measured', () => {
  const errors = errorsOf(pairs)
  expect(errors.points).toBe(5)
  expect(errors.medianPct).toBeCloseTo(20)
  expect(errors.meanPct).toBeCloseTo(20)
  expect(errors.biasPct).toBeCloseTo(0)
})

test('nothing to compare is no error of 0', () => {
  expect(() => errorsOf([])).toThrow()
  expect(() => errorsOf([{ predicted: Number.NaN, measured: 1 }])).toThrow()
})

test('groups are told by name and lose no pair', () => {
  const groups = groupErrors(pairs, ({ predicted }) => (predicted > 100 ? 'over' : 'under'))
  expect(groups.map(({ name, points }) => [name, points])).toEqual([
    ['over', 2],
    ['under', 3],
  ])
})

test('inside, below and above are shares of all points', () => {
  const bounded = pairs.map((pair) => ({ ...pair, low: pair.predicted * 0.85, high: pair.predicted * 1.15 }))
  const { insidePct, belowPct, abovePct, width } = coverageOf('all', 80, bounded)
  expect([insidePct, belowPct, abovePct]).toEqual([40, 20, 40])
  expect(width).toBeCloseTo(1.15 / 0.85)
})
