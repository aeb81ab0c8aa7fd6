import { expect, test } from 'vitest'
import { type Expectation, mismatches } from './cases.ts'

const actual = { a: [{ n: 1.5, zero: 0, nothing: null, text: 'Tokens', list: [1], none: [] }] }

test.each<[string, Expectation, boolean]>([
  ['a[0].n', { value: 1.5 }, true],
  ['a[0].n', { value: 1.4, tol: 0.11 }, true],
  ['a[0].n', { value: 1.4, tol: 0.09 }, false],
  ['a[0].n', { value: '1.5' }, false],
  ['a[0].nothing', { value: 0, tol: 1 }, false],
  ['a[0].text', { value: 'Tokens' }, true],
  ['a[0].missing', { absent: true }, true],
  ['a[1].missing.deeper', { absent: true }, true],
  ['a[0].nothing', { absent: true }, false],
  ['a[0].zero', { absent: true }, false],
  ['a[0].n', { min: 1.5, max: 2 }, true],
  ['a[0].n', { min: 1.6, max: 2 }, false],
  ['a[0].missing', { min: 0, max: 2 }, false],
  ['a[0].n', { oneOf: [1, 1.5] }, true],
  ['a[0].n', { oneOf: [1, 2] }, false],
  ['a[0].text', { matches: '^tok' }, true],
  ['a[0].text', { matches: 'ttft' }, false],
  ['a[0].list', { nonEmpty: true }, true],
  ['a[0].none', { nonEmpty: true }, false],
])('%s against %j holds: %s', (path, expectation, holds) => {
  expect(mismatches(actual, { [path]: expectation }).length === 0).toBe(holds)
})
