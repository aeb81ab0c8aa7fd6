import { describe, expect, it } from 'vitest'
import { createRandom, drawLength, type Lengths, meanLength, parseLengths } from '../../src/core/index.ts'

const drawn = (text: string, count = 40_000, seed = 1): number[] => {
  const lengths = parseLengths(text) as Lengths
  const random = createRandom(seed)
  return Array.from({ length: count }, () => drawLength(lengths, random))
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const deviationOf = (values: readonly number[]): number => {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}

describe('lengths as text', () => {
  it.each<[string, Lengths]>([
    ['512', { kind: 'fixed', tokens: 512 }],
    ['10000000', { kind: 'fixed', tokens: 10_000_000 }],
    ['uniform:100-200', { kind: 'uniform', least: 100, most: 200 }],
    ['normal:400,50', { kind: 'normal', mean: 400, deviation: 50 }],
    ['normal: 400, 0', { kind: 'normal', mean: 400, deviation: 0 }],
    ['lognormal:400,0.6', { kind: 'lognormal', median: 400, sigma: 0.6 }],
  ])('%s', (text, lengths) => {
    expect(parseLengths(text)).toEqual(lengths)
  })

  it.each([
    ['', '0', '-5', '1.5', '5e3', 'NaN', 'Infinity', '10000001'],
    ['uniform:200-100', 'uniform:0-5', 'uniform:1.5-3', 'uniform:100,200', 'uniform:100', 'uniform:-5-5'],
    ['normal:400', 'normal:400,-1', 'normal:0,5', 'normal:x,5', 'lognormal:400,9', 'lognormal:0,0.6', 'gamma:1,2'],
  ])('none is %s, %s, %s …', (...texts) => {
    for (const text of texts) expect(parseLengths(text), text).toBeUndefined()
  })
})

describe('lengths that are drawn', () => {
  it('are all alike where they are fixed', () => {
    expect(new Set(drawn('512', 100))).toEqual(new Set([512]))
  })

  it('uniform: every length of the range, both ends among them, as often as another', () => {
    const counts = new Map<number, number>()
    for (const value of drawn('uniform:3-7', 50_000)) counts.set(value, (counts.get(value) ?? 0) + 1)
    expect([...counts.keys()].sort()).toEqual([3, 4, 5, 6, 7])
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(450)
  })

  it('normal: mean and deviation as given', () => {
    const values = drawn('normal:400,50')
    expect(Math.abs(meanOf(values) - 400)).toBeLessThan(1)
    expect(Math.abs(deviationOf(values) - 50)).toBeLessThan(1)
  })

  it('lognormal: the logarithms are normal about that of the median', () => {
    const logs = drawn('lognormal:400,0.6').map(Math.log)
    expect(Math.abs(meanOf(logs) - Math.log(400))).toBeLessThan(0.015)
    expect(Math.abs(deviationOf(logs) - 0.6)).toBeLessThan(0.01)
  })

  it('have the mean that is told of them', () => {
    for (const text of ['uniform:100-200', 'normal:400,50', 'lognormal:400,0.6']) {
      expect(Math.abs(meanOf(drawn(text)) / meanLength(parseLengths(text) as Lengths) - 1), text).toBeLessThan(0.01)
    }
  })

  it('are whole and at least 1, whatever the spread', () => {
    for (const text of ['normal:3,50', 'lognormal:1,4']) {
      const values = drawn(text)
      expect(values.every((value) => Number.isInteger(value) && value >= 1)).toBe(true)
      expect(values).toContain(1)
    }
  })

  it('are repeated by a seed, and by no other', () => {
    expect(drawn('normal:400,50', 50, 7)).toEqual(drawn('normal:400,50', 50, 7))
    expect(drawn('normal:400,50', 50, 7)).not.toEqual(drawn('normal:400,50', 50, 8))
  })
})
