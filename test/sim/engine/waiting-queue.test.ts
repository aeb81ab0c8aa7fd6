import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Seat } from '../../../src/sim/engine/seat.ts'
import { ArrivalQueue, outranks, PriorityQueue, type WaitingQueue } from '../../../src/sim/engine/waiting-queue.ts'
import { seatOf } from './seats.ts'

/** Does at random what an engine does, beside a plain list. */
function likeAList(queue: WaitingQueue, put: (list: Seat[], seat: Seat, isBack: boolean) => void): void {
  const doing = fc.array(fc.tuple(fc.constantFrom('add', 'putBack', 'shift', 'shift'), fc.nat(2)), { maxLength: 80 })
  let id = 0
  fc.assert(
    fc.property(doing, (steps) => {
      const list: Seat[] = []
      while (queue.length > 0) queue.shift()
      for (const [what, priority] of steps) {
        if (what !== 'shift') {
          const seat = seatOf({ id: id++, priority })
          if (what === 'add') queue.add(seat)
          else queue.putBack(seat)
          put(list, seat, what === 'putBack')
        } else if (list.length > 0) {
          queue.shift()
          list.shift()
        }
        expect(queue.head).toBe(list[0])
        expect(queue.length).toBe(list.length)
      }
    }),
  )
}

test('first come, first served; who gave way goes to the very front', () => {
  likeAList(new ArrivalQueue(), (list, seat, isBack) => {
    if (isBack) list.unshift(seat)
    else list.push(seat)
  })
})

test('by priority, then by id, whoever comes', () => {
  likeAList(new PriorityQueue(), (list, seat) => {
    list.push(seat)
    list.sort((a, b) => a.sequence.priority - b.sequence.priority || a.sequence.id - b.sequence.id)
  })
})

test('the lower number goes first, and among equals the earlier one', () => {
  expect(outranks(seatOf({ id: 7, priority: 1 }), seatOf({ id: 3, priority: 2 }))).toBe(true)
  expect(outranks(seatOf({ id: 7, priority: 2 }), seatOf({ id: 3, priority: 2 }))).toBe(false)
  expect(outranks(seatOf({ id: 3, priority: 2 }), seatOf({ id: 7, priority: 2 }))).toBe(true)
})
