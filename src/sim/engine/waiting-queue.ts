import type { Seat } from './seat.ts'

/** Who waits to be admitted. The head is never overtaken. */
export interface WaitingQueue {
  readonly length: number
  readonly head: Seat | undefined
  /** A new one. */
  add(seat: Seat): void
  /** One that gave way. */
  putBack(seat: Seat): void
  shift(): void
  /** All of them, in no order that means anything. */
  all(): readonly Seat[]
}

/** First come, first served; who gave way goes before all others, the last to do so first. */
export class ArrivalQueue implements WaitingQueue {
  private ring: (Seat | undefined)[] = new Array(8)
  private from = 0
  length = 0

  get head(): Seat | undefined {
    return this.length === 0 ? undefined : this.ring[this.from]
  }

  add(seat: Seat): void {
    if (this.length === this.ring.length) this.grow()
    this.ring[(this.from + this.length) & (this.ring.length - 1)] = seat
    this.length++
  }

  putBack(seat: Seat): void {
    if (this.length === this.ring.length) this.grow()
    this.from = (this.from - 1) & (this.ring.length - 1)
    this.ring[this.from] = seat
    this.length++
  }

  shift(): void {
    this.ring[this.from] = undefined
    this.from = (this.from + 1) & (this.ring.length - 1)
    this.length--
  }

  all(): readonly Seat[] {
    return this.ring.filter((seat) => seat !== undefined)
  }

  /** Twice the room, and the head at its start. The size stays a power of two, so that a mask wraps an index. */
  private grow(): void {
    const { ring, from } = this
    this.ring = [...ring.slice(from), ...ring.slice(0, from), ...new Array<undefined>(ring.length)]
    this.from = 0
  }
}

/** By priority, then by id: a binary heap. */
export class PriorityQueue implements WaitingQueue {
  private readonly seats: Seat[] = []

  get length(): number {
    return this.seats.length
  }

  get head(): Seat | undefined {
    return this.seats[0]
  }

  add(seat: Seat): void {
    const { seats } = this
    let at = seats.length
    seats.push(seat)
    while (at > 0) {
      const up = (at - 1) >> 1
      const other = seats[up] as Seat
      if (!outranks(seat, other)) break
      seats[at] = other
      at = up
    }
    seats[at] = seat
  }

  putBack(seat: Seat): void {
    this.add(seat)
  }

  shift(): void {
    const { seats } = this
    const last = seats.pop() as Seat
    const { length } = seats
    if (length === 0) return
    let at = 0
    for (let down = 1; down < length; down = 2 * at + 1) {
      const right = seats[down + 1]
      if (right !== undefined && outranks(right, seats[down] as Seat)) down++
      const other = seats[down] as Seat
      if (!outranks(other, last)) break
      seats[at] = other
      at = down
    }
    seats[at] = last
  }

  all(): readonly Seat[] {
    return this.seats
  }
}

/** Whether `a` goes before `b` where the policy is by priority. */
export function outranks(a: Seat, b: Seat): boolean {
  const by = a.sequence.priority - b.sequence.priority
  return by < 0 || (by === 0 && a.sequence.id < b.sequence.id)
}
