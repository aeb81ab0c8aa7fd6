import { expect, it } from 'vitest'
import { figure, percent } from '../../src/core/index.ts'

it.each([
  [0, '0'],
  [3090.9, '3,091'],
  [1_234_567.8, '1,234,568'],
  [100, '100'],
  [99.96, '100'],
  [50, '50'],
  [49.44, '49.4'],
  [8.254, '8.25'],
  [0.25, '0.25'],
  [0.001234, '0.00123'],
  [-3090.9, '-3,091'],
])('figure(%d) is %s', (value, text) => {
  expect(figure(value)).toBe(text)
})

it.each([
  [0.6, '60 %'],
  [-0.25, '-25 %'],
  [0.0625, '6.3 %'],
  [0.05, '5 %'],
  [12.5, '1,250 %'],
])('percent(%d) is %s', (share, text) => {
  expect(percent(share)).toBe(text)
})
