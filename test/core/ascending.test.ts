import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortAscending } from '../../src/core/ascending.ts'
import { createRandom } from '../../src/core/index.ts'

const sorted = (values: readonly number[]): Float64Array => {
  const own = Float64Array.from(values)
  sortAscending(own)
  return own
}

const drawn = (size: number, of: (random: () => number) => number): readonly number[] => {
  const { next } = createRandom('ascending')
  return Array.from({ length: size }, () => of(next))
}

describe('a sort of many numbers', () => {
  it('is that by comparing, bit for bit, of any numbers', () => {
    const any = fc.array(fc.double(), { maxLength: 400, size: 'max' })
    const positive = fc.array(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), {
      maxLength: 400,
      size: 'max',
    })
    const alike = fc.array(fc.integer({ min: 1000, max: 1040 }), { maxLength: 400, size: 'max' })
    fc.assert(
      fc.property(fc.oneof(any, positive, alike), (values) => {
        expect(sorted(values)).toEqual(Float64Array.from(values).sort())
      }),
      { numRuns: 100, seed: 5 },
    )
  })

  it.each([
    ['spread evenly', (next: () => number) => next()],
    ['of a wide scale', (next: () => number) => Math.exp(12 * next())],
    ['whole and often alike', (next: () => number) => Math.floor(900 * next())],
    ['close together but for a few', (next: () => number) => (next() < 0.01 ? 1e9 * next() : 1 + next() / 1e6)],
    ['all the same', () => 7],
    ['with a sign now and then', (next: () => number) => next() - 0.01],
  ])('is that by comparing of thousands %s', (_, of) => {
    for (const size of [63, 64, 1800]) {
      const values = drawn(size, of)
      expect(sorted(values)).toEqual(Float64Array.from(values).sort())
    }
  })

  it('leaves alone what lies beside it in memory', () => {
    const all = Float64Array.from(drawn(300, (next) => next()))
    const before = all.slice()
    const part = all.subarray(100, 200)
    sortAscending(part)
    expect(part).toEqual(before.slice(100, 200).sort())
    expect(all.slice(0, 100)).toEqual(before.slice(0, 100))
    expect(all.slice(200)).toEqual(before.slice(200))
  })
})
