import { expect, test } from 'vitest'
import { BlockCache } from '../../../src/sim/engine/block-cache.ts'
import type { Seat } from '../../../src/sim/engine/seat.ts'
import { seatOf } from './seats.ts'

const BLOCK = 4

/** A prompt that takes its blocks and fills them. */
function hold(cache: BlockCache, seat: Seat): Seat {
  const { promptTokens } = seat.sequence
  cache.look(seat.sequence, seat.ownId, promptTokens)
  const { hits } = cache
  cache.share(seat, hits)
  cache.take(seat, Math.ceil(promptTokens / BLOCK) - hits)
  cache.fill(seat, promptTokens)
  return seat
}

function hitsOf(cache: BlockCache, seat: Seat): number {
  cache.look(seat.sequence, seat.ownId, seat.sequence.promptTokens)
  return cache.hits
}

const beginning = (id: number, part: number, tokens = 8, promptTokens = 13): Seat =>
  seatOf({ id, promptTokens, parts: [{ id: part, tokens }] })

test('the same beginning is held once; another one is not taken for it', () => {
  const cache = new BlockCache(10, BLOCK)
  hold(cache, beginning(1, 7))
  expect(cache.free).toBe(6)
  expect(hitsOf(cache, beginning(2, 8))).toBe(0)
  hold(cache, beginning(2, 7))
  expect(cache.free).toBe(4)
})

test('a part covers whole blocks only, and at least one token of a prompt is read', () => {
  const cache = new BlockCache(10, BLOCK)
  hold(cache, beginning(1, 7, 7))
  // Seven tokens: one block and three tokens, whose block has four of which one is its own.
  expect(hitsOf(cache, beginning(2, 7, 7))).toBe(1)
  hold(cache, beginning(3, 9, 8, 8))
  // All of the eight are there, but the last token has to be read for the first of the answer.
  expect(hitsOf(cache, beginning(4, 9, 8, 8))).toBe(1)
  expect(hitsOf(cache, beginning(5, 9, 8, 9))).toBe(2)
})

test('what is let go stays until its room is needed, the oldest first, and of one prompt its end first', () => {
  const cache = new BlockCache(6, BLOCK)
  const [one, two] = [hold(cache, beginning(1, 7, 8, 9)), hold(cache, beginning(2, 8, 8, 9))]
  expect(cache.free).toBe(0)
  cache.release(one)
  cache.release(two)
  expect(cache.free).toBe(6)
  expect([hitsOf(cache, beginning(3, 7)), hitsOf(cache, beginning(3, 8))]).toEqual([2, 2])
  // Two blanks, the ends of both, are taken first, then the last block of the first prompt.
  cache.take(seatOf({ id: 4 }), 2)
  expect([hitsOf(cache, beginning(3, 7)), hitsOf(cache, beginning(3, 8))]).toEqual([2, 2])
  cache.take(seatOf({ id: 5 }), 1)
  expect([hitsOf(cache, beginning(3, 7)), hitsOf(cache, beginning(3, 8))]).toEqual([1, 2])
})

test('who hits what nobody holds keeps it from being taken', () => {
  const cache = new BlockCache(4, BLOCK)
  cache.release(hold(cache, beginning(1, 7, 8, 9)))
  const again = beginning(2, 7, 8, 9)
  expect(hitsOf(cache, again)).toBe(2)
  expect(cache.unheldHits).toBe(2)
  hold(cache, again)
  expect(cache.free).toBe(1)
  expect(hitsOf(cache, beginning(3, 7))).toBe(2)
  expect(cache.unheldHits).toBe(0)
})

test('a later prompt hits what an earlier answer wrote, under its id', () => {
  const cache = new BlockCache(20, BLOCK)
  const first = seatOf({ id: 1, promptTokens: 6, ownId: 50 })
  hold(cache, first)
  cache.take(first, 1)
  cache.fill(first, 11)
  cache.release(first)
  const later = seatOf({ id: 2, promptTokens: 20, parts: [{ id: 50, tokens: 11 }] })
  expect(hitsOf(cache, later)).toBe(2)
  expect(cache.missed).toBe(-3)
})

test('thousands of blocks are found as a few are', () => {
  const cache = new BlockCache(Number.POSITIVE_INFINITY, BLOCK)
  const seats = Array.from({ length: 300 }, (_, i) => hold(cache, beginning(i, i, 40, 41)))
  expect(seats.every((seat) => hitsOf(cache, seat) === 10)).toBe(true)
  for (const seat of seats) cache.release(seat)
  expect(cache.free).toBe(Number.POSITIVE_INFINITY)
  expect(seats.every((seat) => hitsOf(cache, seat) === 10)).toBe(true)
})
