import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MinTree } from '../../../src/sim/fleet/min-tree.ts'

describe('the least of numbers that change', () => {
  it('is what a look at all of them finds, the first of equals', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(Infinity))))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.constantFrom(0, 3, Infinity), changes, (size, key, list) => {
        const tree = new MinTree(size, key)
        const keys = Array<number>(size).fill(key)
        for (const [place, changed] of list) {
          const index = place % size
          tree.set(index, changed)
          keys[index] = changed
          const least = Math.min(...keys)
          expect([tree.leastKey, tree.least, tree.key(index)]).toEqual([least, keys.indexOf(least), changed])
        }
      }),
    )
  })
})
