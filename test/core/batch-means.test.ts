import { expect, test } from 'vitest'
import { deviations, halfWidth, intervalAbout } from '../../src/core/batch-means.ts'
import { CELLS } from '../../src/core/cells.ts'
import { createNoise, shareOf } from './noise.ts'

const ones = new Float64Array(CELLS).fill(1)

/** Cells of a rate whose true value is 100, with noise of 20 in each. */
function rates(seed: number, memory = 0): Float64Array {
  const noise = createNoise(`rates ${seed}`, memory)
  return Float64Array.from({ length: CELLS }, () => 100 + 20 * noise())
}

function covers(cells: Float64Array): boolean {
  const mean = cells.reduce((sum, value) => sum + value, 0) / CELLS
  const off = deviations(cells, ones)
  const { low, high } = intervalAbout(mean, off && halfWidth(off, ones)) ?? { low: 0, high: 0 }
  return low <= 100 && high >= 100
}

test('95 % intervals hold the truth about 19 times in 20, whether neighbouring cells are alike or not', () => {
  for (const memory of [0, 0.5, 0.8]) {
    const coverage = shareOf(1000, (seed) => covers(rates(seed, memory)))
    expect(coverage).toBeGreaterThan(0.91)
    expect(coverage).toBeLessThan(0.99)
  }
})

test('batches are longer, and fewer, where neighbouring cells are alike', () => {
  const batches = (memory: number): number =>
    shareOf(200, (seed) => {
      const off = deviations(rates(seed, memory), ones)
      return (off && halfWidth(off, ones)?.batches) === 30
    })
  expect(batches(0)).toBeGreaterThan(0.8)
  expect(batches(0.95)).toBeLessThan(0.2)
})

test('what does not vary has an interval without width', () => {
  expect(intervalAbout(100, halfWidth(new Float64Array(CELLS), ones))).toEqual({ low: 100, high: 100, batches: 30 })
  // One that would reach 0 says nothing.
  expect(intervalAbout(100, { share: 0.99, batches: 30 })?.low).toBeCloseTo(1)
  expect(intervalAbout(100, { share: 1, batches: 30 })).toBeUndefined()
})

test('fewer than ten batches with anything in them give no interval, ten do', () => {
  const filled = (cells: number): Float64Array => Float64Array.from({ length: CELLS }, (_, at) => (at < cells ? 1 : 0))
  expect(halfWidth(rates(1), filled(18))).toBeUndefined()
  expect(halfWidth(rates(1), filled(20))?.batches).toBe(10)
})

test('nothing has no deviations', () => {
  expect(deviations(new Float64Array(CELLS), ones)).toBeUndefined()
})
