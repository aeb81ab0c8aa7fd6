import { expect, test } from 'vitest'
import { type Point, repeatsOf } from '../../src/core/index.ts'
import { figures } from './figures.ts'

/** A point with this output, and how sure it is. */
function pointOf(value: number, outputTokensPerSecond: number, half?: number): Point {
  const around = half && { low: outputTokensPerSecond - half, high: outputTokensPerSecond + half, batches: 30 }
  return {
    ...figures([], { header: { load: { kind: 'concurrency', value } } }),
    outputTokensPerSecond,
    ...(around && { intervals: { outputTokensPerSecond: around } }),
  }
}

test('repeats of a load have one mean, and the interval that they alone give', () => {
  const [of4, ...others] = repeatsOf([pointOf(4, 90, 20), pointOf(8, 1), pointOf(4, 100, 10), pointOf(4, 110, 30)])
  expect(others).toEqual([])
  expect(of4).toMatchObject({ load: { kind: 'concurrency', value: 4 }, points: [0, 2, 3] })
  // Deviation 10 of three values, t of two degrees of freedom: 4.303 · 10 / √3.
  const { mean, low, high, within, differ } = of4?.outputTokensPerSecond ?? {}
  expect([mean, within, differ]).toEqual([100, 20, false])
  expect([low, high]).toEqual([expect.closeTo(75.16, 2), expect.closeTo(124.84, 2)])
  expect(of4?.ttftMs).toBeUndefined()
})

test('repeats differ where the intervals of two of them do not touch', () => {
  const differ = (half: number): boolean | undefined =>
    repeatsOf([pointOf(4, 90, half), pointOf(4, 100, half)])[0]?.outputTokensPerSecond?.differ
  expect(differ(4)).toBe(true)
  expect(differ(6)).toBe(false)
  expect(repeatsOf([pointOf(4, 90), pointOf(4, 100)])[0]?.outputTokensPerSecond).not.toHaveProperty('differ')
})

test('loads of one value but another kind are no repeats', () => {
  const rate: Point = { ...pointOf(4, 90), load: { kind: 'rate', value: 4 } }
  expect(repeatsOf([pointOf(4, 90), rate])).toEqual([])
})
