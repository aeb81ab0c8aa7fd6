import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countedDistribution, createGapCounts } from '../../src/core/gap-counts.ts'
import { mean, percentile } from '../../src/core/index.ts'
import { createSamples } from '../../src/core/samples.ts'

/** The definition, spelled out: the value at rank p/100 · (n − 1), straight lines between the whole ranks. */
function plainPercentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = (p / 100) * (sorted.length - 1)
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]]
  return low * (1 - (rank % 1)) + high * (rank % 1)
}

const percents = [0, 1, 5, 10, 50, 90, 95, 99, 99.9, 100]
const values = fc.array(fc.integer({ min: 0, max: 3_000_000 }), { minLength: 1, maxLength: 200 })

test('percentiles of four samples lie between the ranks', () => {
  const sorted = [100, 200, 300, 1000]
  const expected = [100, 103, 115, 130, 250, 790, 895, 979, 997.9, 1000]
  for (const [at, p] of percents.entries()) expect(percentile(sorted, p)).toBeCloseTo(expected[at] ?? Number.NaN, 9)
})

test('an empty sample has no percentile and no mean', () => {
  expect(percentile([], 50)).toBeUndefined()
  expect(mean([])).toBeUndefined()
  expect(createSamples().percentile(100)).toBeUndefined()
  const nothing = createGapCounts().counted()
  expect(countedDistribution(nothing).mean()).toBeUndefined()
  expect(countedDistribution(nothing).percentile(50)).toBeUndefined()
})

test('samples, pushed in any order, agree with the plain definition', () => {
  fc.assert(
    fc.property(values, (numbers) => {
      const samples = createSamples()
      for (const number of numbers) samples.push(number)
      for (const p of percents) expect(samples.percentile(p)).toBeCloseTo(plainPercentile(numbers, p), 6)
      expect(samples.mean()).toBeCloseTo(numbers.reduce((sum, number) => sum + number, 0) / numbers.length, 6)
    }),
  )
})

test('samples may be read and then added to', () => {
  const samples = createSamples()
  for (let i = 1000; i > 0; i--) samples.push(i)
  expect(samples.percentile(100)).toBe(1000)
  samples.push(0)
  expect([...samples.sorted()]).toEqual(Array.from({ length: 1001 }, (_, i) => i))
})

test('a page of gaps that turns into counters loses none', () => {
  const counts = createGapCounts()
  const gaps = Array.from({ length: 20_000 }, (_, at) => 40_000 + ((at * 7919) % 5000))
  for (const gap of gaps) counts.add(gap)
  const counted = counts.counted()
  expect(counted.counts.reduce((sum, count) => sum + count, 0)).toBe(20_000)
  expect(counted.values).toEqual([...new Set(gaps)].sort((a, b) => a - b))
  const distribution = countedDistribution(counted)
  for (const p of percents) expect(distribution.percentile(p)).toBeCloseTo(plainPercentile(gaps, p), 6)
})

test('counted gaps are as exact as the list of all gaps, the long ones too', () => {
  fc.assert(
    fc.property(values, (gaps) => {
      const counts = createGapCounts()
      for (const gap of gaps) counts.add(gap)
      const counted = countedDistribution(counts.counted())
      for (const p of percents) expect(counted.percentile(p)).toBeCloseTo(plainPercentile(gaps, p), 6)
      expect(counted.mean()).toBeCloseTo(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, 6)
    }),
  )
})
