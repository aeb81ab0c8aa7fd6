import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBins } from '../../src/core/bins.ts'
import { countedDistribution } from '../../src/core/gap-counts.ts'
import { createLongSamples } from '../../src/core/long-samples.ts'
import { createPlacedSamples } from '../../src/core/placed-samples.ts'
import { mean, percentile } from '../../src/core/statistics.ts'

const amounts = fc.double({ min: 0, max: 1e9, noNaN: true })

test('a sample that outgrows its memory has the same mean, its ends, and percentiles within 0.05 %', () => {
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1, maxLength: 60 }), (values) => {
      const samples = createLongSamples(20)
      for (const value of values) samples.push(value)
      const sorted = Float64Array.from(values).sort()
      expect(samples.mean()).toBeCloseTo(mean(sorted) ?? 0, 3)
      expect(samples.percentile(100)).toBe(sorted.at(-1))
      for (const p of [0, 1, 10, 50, 90, 99]) {
        const exact = percentile(sorted, p) ?? 0
        const found = samples.percentile(p) ?? 0
        if (values.length <= 20) expect(found).toBe(exact)
        // The two neighbours of a percentile may lie far apart: each may be off by so much.
        else expect(Math.abs(found - exact)).toBeLessThanOrEqual(0.0005 * exact + 1e-9)
      }
    }),
  )
  expect(createLongSamples().mean()).toBeUndefined()
})

test('what always takes the same time is told exactly, however often it came', () => {
  const bins = createBins()
  bins.add(5250, 1e9)
  bins.add(5250, 3)
  const { mean, percentile } = countedDistribution(bins.counted())
  expect([mean(), percentile(1), percentile(99)]).toEqual([5250, 5250, 5250])
})

test('an interval told from every second sample is about that told from all', () => {
  const [all, thinned] = [createPlacedSamples(), createPlacedSamples(1000)]
  for (let at = 0; at < 6000; at++) {
    const value = 1000 + 300 * Math.sin(at * 0.7) + 100 * Math.sin(at * 0.013)
    all.push(value, at)
    thinned.push(value, at)
  }
  const cellOf = (instantUs: number): number => Math.floor(instantUs / 100)
  const [exact, near] = [all.interval(50, cellOf), thinned.interval(50, cellOf)]
  expect(exact).toBeDefined()
  expect((near?.high ?? 0) - (near?.low ?? 0)).toBeGreaterThan(0.6 * ((exact?.high ?? 0) - (exact?.low ?? 0)))
  expect((near?.high ?? 0) - (near?.low ?? 0)).toBeLessThan(1.6 * ((exact?.high ?? 0) - (exact?.low ?? 0)))
})
