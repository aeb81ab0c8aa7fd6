import { Seat } from '../../../src/sim/engine/seat.ts'
import type { Sequence } from '../../../src/sim/engine/sequence.ts'

/** A seat with a request in it. */
export function seatOf(of: Partial<Sequence> & { readonly id: number }): Seat {
  const seat = new Seat()
  seat.reset({ lane: 0, group: 0, promptTokens: 1, outputTokens: 1, priority: 0, ...of }, of.ownId ?? -1 - of.id)
  return seat
}
