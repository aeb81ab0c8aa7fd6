import { expect, test } from 'vitest'
import { straightPieces } from '../../../src/sim/step/straight-pieces.ts'

test('a straight line is one piece', () => {
  expect(straightPieces((x) => 3 + 0.1 * x, 1, 2 ** 24, 1e-9)).toEqual([1, 2 ** 24])
})

test.each([
  ['convex', (x: number) => 10 + Math.max(0, x - 4096)],
  ['concave', (x: number) => 10 + Math.min(x, 4096)],
])('a %s corner is found to the token where the curve is steep', (_, curve) => {
  const [first, corner = 0, ...more] = straightPieces(curve, 1, 2 ** 20, 1e-6)
  expect(first).toBe(1)
  expect(Math.abs(corner - 4096)).toBeLessThanOrEqual(2)
  expect(more.at(-1)).toBe(2 ** 20)
})

test('a bent curve is followed within its tolerance everywhere, with fewer pieces for a greater one', () => {
  const curve = (x: number): number => (1e12 + x ** 4) ** 0.25
  const count = [1e-2, 1e-3, 1e-4].map((tolerance) => {
    const corners = straightPieces(curve, 1, 1e6, tolerance)
    corners.slice(1).forEach((to, i) => {
      const from = corners[i] ?? 0
      const slope = (curve(to) - curve(from)) / (to - from)
      for (let part = 1; part < 200; part++) {
        const x = from + ((to - from) * part) / 200
        // Places are compared on a grid of their own, so a little more may lie between them.
        expect(Math.abs(curve(from) + slope * (x - from) - curve(x))).toBeLessThanOrEqual(1.1 * tolerance * curve(x))
      }
    })
    return corners.length
  })
  expect(count).toEqual(count.toSorted((a, b) => a - b))
  expect(count[0]).toBeLessThan(count[2] ?? 0)
})
