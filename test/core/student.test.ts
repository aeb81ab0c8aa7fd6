import { expect, test } from 'vitest'
import { t95, withinT } from '../../src/core/student.ts'

test("Student's t is that of the tables, for an odd and an even number of degrees of freedom", () => {
  const tabled = [
    [1, 12.706],
    [2, 4.303],
    [5, 2.571],
    [9, 2.262],
    [10, 2.228],
    [29, 2.045],
    [60, 2.0],
  ] as const
  for (const [freedom, t] of tabled) expect(t95(freedom)).toBeCloseTo(t, 3)
  expect(withinT(3.674, 28)).toBeCloseTo(0.999, 5)
  expect(withinT(5.041, 8)).toBeCloseTo(0.999, 5)
})

test('nothing lies within 0, everything within infinity', () => {
  for (const freedom of [1, 2, 3, 28]) {
    expect(withinT(0, freedom)).toBe(0)
    expect(withinT(Number.POSITIVE_INFINITY, freedom)).toBeCloseTo(1, 12)
  }
})
