import { expect, test } from 'vitest'
import { solve } from '../../../src/model/roofline/solve.ts'

test('a positive definite system is solved', () => {
  const matrix = [
    [4, 1, 0.5],
    [1, 3, -1],
    [0.5, -1, 2],
  ]
  const x = solve(matrix, [1, -2, 5])
  for (const [i, row] of matrix.entries()) {
    expect(row.reduce((sum, value, k) => sum + value * (x[k] ?? Number.NaN), 0)).toBeCloseTo([1, -2, 5][i]!, 12)
  }
})

test('what it is given stays as it was', () => {
  const matrix = [
    [2, 1],
    [1, 2],
  ]
  const right = [3, 3]
  expect(solve(matrix, right)).toEqual([1, 1])
  expect(matrix).toEqual([
    [2, 1],
    [1, 2],
  ])
  expect(right).toEqual([3, 3])
})
