import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ArrivalQueue } from '../../../src/sim/arrivals/queue.ts'

it('gives the earliest, and of those at one instant the first, whatever was put in and taken between', () => {
  const step = fc.oneof(fc.nat(20), fc.constant('take' as const))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new ArrivalQueue()
      let plain: { whose: number; atS: number }[] = []
      steps.forEach((one, whose) => {
        if (one === 'take') {
          const first = plain.reduce<(typeof plain)[number] | undefined>((best, entry) => {
            return best === undefined || entry.atS < best.atS ? entry : best
          }, undefined)
          plain = plain.filter((entry) => entry !== first)
          expect(queue.take()).toBe(first?.whose)
        } else {
          plain.push({ whose, atS: one })
          queue.put(whose, one)
        }
        expect(queue.nextS).toBe(Math.min(Number.POSITIVE_INFINITY, ...plain.map(({ atS }) => atS)))
      })
    }),
  )
})
