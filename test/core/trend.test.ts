import { expect, test } from 'vitest'
import { CELLS } from '../../src/core/cells.ts'
import { changeOf } from '../../src/core/trend.ts'
import { createNoise, shareOf } from './noise.ts'

/** Deviations of a rate that runs as `level` says (x from 0 to 1), with noise of this size in each cell. */
function cellsOf(level: (x: number) => number, size: number, seed: number | string, memory = 0): Float64Array {
  const noise = createNoise(`trend ${seed}`, memory)
  const raw = Float64Array.from({ length: CELLS }, (_, cell) => level((cell + 0.5) / CELLS) * (1 + size * noise()))
  const mean = raw.reduce((sum, value) => sum + value, 0) / CELLS
  return raw.map((value) => value / mean - 1)
}

const level = (): number => 1
const fires =
  (of: (x: number) => number, size: number, memory = 0) =>
  (seed: number) =>
    changeOf(cellsOf(of, size, seed, memory)) !== undefined

test('noise about one level is taken for a change in less than one point of a hundred', () => {
  for (const size of [0.02, 0.1, 0.5]) expect(shareOf(1000, fires(level, size))).toBeLessThanOrEqual(0.002)
  // A host that is now a little faster, now a little slower.
  for (const size of [0.02, 0.1]) expect(shareOf(1000, fires(level, size, 0.5))).toBeLessThanOrEqual(0.01)
  expect(shareOf(1000, fires(level, 0.02, 0.7))).toBeLessThanOrEqual(0.01)
})

test('10 % through the window are found, up or down, also in noise of 2 % a cell', () => {
  expect(
    shareOf(
      300,
      fires((x) => 1 - 0.1 * x, 0.02),
    ),
  ).toBeGreaterThan(0.98)
  expect(
    shareOf(
      300,
      fires((x) => 1 + 0.1 * x, 0.02),
    ),
  ).toBeGreaterThan(0.98)
})

test('a step is found where it is, also one that a straight line does not fit', () => {
  expect(
    shareOf(
      300,
      fires((x) => (x < 0.5 ? 1 : 0.9), 0.03),
    ),
  ).toBeGreaterThan(0.99)
  expect(
    shareOf(
      300,
      fires((x) => (x < 0.25 ? 1 : 0.85), 0.03),
    ),
  ).toBeGreaterThan(0.99)
  expect(changeOf(cellsOf((x) => (x < 0.7 ? 1 : 0.5), 0, 1))).toMatchObject({ kind: 'step', at: 0.7 })
})

test('a change is told as a share of the mean', () => {
  expect(changeOf(cellsOf((x) => 1 - 0.1 * x, 0, 1))).toEqual({
    kind: 'slope',
    change: expect.closeTo(-0.1 / 0.95, 3),
  })
  expect(changeOf(cellsOf((x) => (x < 0.5 ? 1 : 1.2), 0, 1))?.change).toBeCloseTo(0.2 / 1.1, 3)
})

test('a change of a few per cent is of no account, however sure it is', () => {
  expect(changeOf(cellsOf((x) => 1 - 0.04 * x, 0, 1))).toBeUndefined()
  expect(changeOf(cellsOf((x) => 1 - 0.06 * x, 0, 1))).toBeDefined()
  expect(
    shareOf(
      300,
      fires((x) => 1 - 0.03 * x, 0.01),
    ),
  ).toBeLessThanOrEqual(0.01)
})

test('one short pause is no change of level', () => {
  expect(changeOf(cellsOf((x) => (x > 0.9 && x < 0.95 ? 0 : 1), 0.02, 1))).toBeUndefined()
})
