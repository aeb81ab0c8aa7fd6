import { describe, expect, test } from 'vitest'
import { minimise } from '../../../src/sim/fit/minimise.ts'

describe('the simplex', () => {
  test('finds the bottom of a bowl that is a thousand times steeper one way than the other', () => {
    const { at, value } = minimise(([x = 0, y = 0]) => (x - 3) ** 2 + 1000 * (y + 2) ** 2, [0, 0], [1, 1], 400)
    expect(at[0]).toBeCloseTo(3, 4)
    expect(at[1]).toBeCloseTo(-2, 4)
    expect(value).toBeLessThan(1e-6)
  })

  test('goes round the bend of a narrow valley', () => {
    const valley = ([x = 0, y = 0]: readonly number[]): number => (1 - x) ** 2 + 100 * (y - x ** 2) ** 2
    expect(minimise(valley, [-1.2, 1], [0.5, 0.5], 600).value).toBeLessThan(1e-8)
  })

  test('a variable that may not move stays', () => {
    const { at } = minimise(([x = 0, y = 0]) => (x - 3) ** 2 + (y - 3) ** 2, [0, 0], [1, 0], 200)
    expect(at[0]).toBeCloseTo(3, 4)
    expect(at[1]).toBe(0)
  })

  test('steps in the function do not stop it, and it asks about as often as it may', () => {
    let asked = 0
    const stairs = ([x = 0, y = 0]: readonly number[]): number => {
      asked++
      return Math.floor(Math.abs(x - 3) * 100) + Math.floor(Math.abs(y - 1) * 100)
    }
    const { value } = minimise(stairs, [0, 0], [1, 1], 300)
    expect(value).toBeLessThan(5)
    expect(asked).toBeGreaterThanOrEqual(300)
    expect(asked).toBeLessThan(305)
  })
})
