import { expect, it } from 'vitest'
import { amount, fromZero } from '../../src/cli/flags.ts'

it.each([
  ['.5', 0.5],
  ['5.', 5],
  ['0.5', 0.5],
  ['2e3', 2000],
])('takes %s as a number', (text, value) => {
  expect(amount(text)).toBe(value)
  expect(fromZero(text)).toBe(value)
})

it.each(['', '.', 'e3', '-1', 'NaN', 'Infinity', '0x10', '1,5', '1e999'])('refuses %j', (text) => {
  expect(() => amount(text)).toThrow('It takes a number greater than 0.')
  expect(() => fromZero(text)).toThrow('It takes a number from 0 on.')
})
