import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DecodeSet } from '../../../src/sim/engine/decode-set.ts'
import { seatOf } from './seats.ts'

const answers = fc.array(
  fc.record({
    promptTokens: fc.integer({ min: 1, max: 50 }),
    outputTokens: fc.integer({ min: 2, max: 50 }),
    joins: fc.nat(30),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Each has joined with its first token, at a D of its own; the last D is 30. */
function setOf(blockTokens: number, all: readonly { promptTokens: number; outputTokens: number; joins: number }[]) {
  const set = new DecodeSet(blockTokens, 1, true)
  const seats = all.map(({ joins, ...lengths }, id) => {
    const seat = seatOf({ id, ...lengths })
    seat.made = 1
    seat.order = id
    set.add(seat, joins)
    return seat
  })
  const tokens = (i: number, decided: number) => all[i]!.promptTokens + 1 + decided - all[i]!.joins
  return { set, seats, tokens }
}

test('KV tokens and blocks of any row of steps are those counted one by one', () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 1, max: 20 }), fc.nat(70), fc.nat(30), (all, blockTokens, steps, free) => {
      const { set, seats, tokens } = setOf(blockTokens, all)
      const D = 30
      expect(set.kvTokens(D)).toBe(seats.reduce((sum, _, i) => sum + tokens(i, D), 0))
      // A step feeds the last token made: it needs a block where those before it fill theirs.
      const needed = (step: number) => seats.filter((_, i) => (tokens(i, D + step) - 1) % blockTokens === 0)
      let sum = 0
      for (let i = 0; i < steps; i++) {
        expect(set.needersAt(D + i)).toEqual(needed(i))
        sum += needed(i).length
      }
      expect(set.blocksNeeded(D, steps)).toBe(sum)
      let within = 0
      for (let left = free; within < steps; within++) {
        left -= needed(within).length
        if (left < 0) break
      }
      expect(set.stepsWithin(D, free, steps)).toBe(within)
    }),
  )
})

test('the next to end is the one with the fewest tokens to make, the earliest of several', () => {
  fc.assert(
    fc.property(answers, fc.array(fc.nat(11)), (all, leave) => {
      const { set, seats } = setOf(4, all)
      const left = new Set(seats)
      for (const i of leave) {
        const seat = seats[i]
        if (seat === undefined || !left.delete(seat)) continue
        set.remove(seat)
      }
      const order = [...left].sort((a, b) => a.lastLabel - b.lastLabel || a.sequence.id - b.sequence.id)
      for (const seat of order) {
        expect(set.finish.first).toBe(seat)
        expect(set.finish.next).toBe(seat.lastLabel)
        set.remove(seat)
      }
      expect(set.finish.next).toBe(Number.POSITIVE_INFINITY)
      expect(set.kvTokens(99)).toBe(0)
    }),
  )
})

test('who stands out of a step has as much to make as before, one step later', () => {
  const { set, seats } = setOf(4, [{ promptTokens: 3, outputTokens: 5, joins: 30 }])
  const [seat] = seats as [(typeof seats)[0]]
  expect([seat.lastLabel, set.kvTokens(30)]).toEqual([34, 4])
  set.delay(seat)
  expect([seat.lastLabel, set.kvTokens(31)]).toEqual([35, 4])
  // Three of its tokens are in the cache, in one block of four: the fifth needs another.
  expect([set.blocksNeeded(31, 1), set.blocksNeeded(32, 1)]).toEqual([0, 1])
})
