import { expect, test } from 'vitest'
import { nextRepeat, roundOf } from '../../src/load/rounds.ts'

const loads = [1, 8].map((value) => ({ kind: 'concurrency', value }) as const)

test('further rounds repeat the loads of the first in its order, none back to back', () => {
  const rest = [2, 3, 4, 5, 6].map((measured) => nextRepeat(loads, 3, measured))
  expect(rest.map((next) => (next.kind === 'load' ? next.load.value : 'end'))).toEqual([1, 8, 1, 8, 'end'])
  expect([2, 3, 4, 5].map((measured) => roundOf(loads, measured))).toEqual([1, 1, 2, 2])
})

test('one round has no repeat, and nothing measured has none either', () => {
  expect(nextRepeat(loads, 1, 2)).toEqual({ kind: 'end' })
  expect(nextRepeat([], 3, 0)).toEqual({ kind: 'end' })
})

test('while the first round goes on every point is of it', () => {
  expect([0, 1, 7].map((measured) => roundOf(undefined, measured))).toEqual([0, 0, 0])
})
