import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Stretch, stretchesOf } from '../../../src/plan/day/free-time.ts'

it('gives each replica its time from where it is set free to where it is wanted, over the end of the day too', () => {
  expect(stretchesOf([2, 0, 1, 3, 1, 0, 1], 10)).toEqual([
    { startS: 30, endS: 40, replicas: 2 },
    { startS: 20, endS: 50, replicas: 1 },
    { startS: 70, endS: 80, replicas: 1 },
    { startS: 60, endS: 80, replicas: 1 },
  ])
})

it('knows one that is never wanted', () => {
  expect(stretchesOf([2, 2, 2], 10)).toEqual([{ startS: 0, endS: Number.POSITIVE_INFINITY, replicas: 2 }])
  expect(stretchesOf([0, 0], 10)).toEqual([])
})

it('is what a walk around the day finds, replica by replica', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 }), (free) => {
      const count = free.length
      const found: Stretch[] = []
      for (let level = 1; level <= Math.max(...free); level++) {
        const isFree = (piece: number): boolean => (free[piece % count] ?? 0) >= level
        if (free.every((_, piece) => isFree(piece))) {
          found.push({ startS: 0, endS: Number.POSITIVE_INFINITY, replicas: 1 })
          continue
        }
        for (let piece = 0; piece < count; piece++) {
          if (!isFree(piece) || isFree(piece + count - 1)) continue
          let end = piece + 1
          while (isFree(end)) end += 1
          found.push({ startS: piece, endS: end, replicas: 1 })
        }
      }
      const told = ({ startS, endS }: Stretch): string =>
        endS === Number.POSITIVE_INFINITY ? 'always' : `${startS % count} for ${endS - startS}`
      const one = stretchesOf(free, 1).flatMap((stretch) =>
        Array.from({ length: stretch.replicas }, () => told(stretch)),
      )
      expect(one.sort()).toEqual(found.map(told).sort())
    }),
    { seed: 6 },
  )
})
