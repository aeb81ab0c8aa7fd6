import { expect, it } from 'vitest'
import { portion } from '../../src/core/index.ts'

it.each([
  [0.9, '90 %'],
  [0.8999, '89.9 %'],
  [0.806, '80.6 %'],
  [0.29, '29 %'],
  [0.995, '99.5 %'],
  [0.9999, '99.99 %'],
  [1, '100 %'],
  [0, '0 %'],
])('the share %d is told as %s, never as more than it is', (share, told) => {
  expect(portion(share)).toBe(told)
})
