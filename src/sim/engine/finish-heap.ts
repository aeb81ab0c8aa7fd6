import type { Seat } from './seat.ts'

/** Those that decode, by the step of their last token, then by id. */
export class FinishHeap {
  private readonly seats: Seat[] = []

  /** The label of the next last token; Infinity: nobody decodes. */
  get next(): number {
    return this.seats[0]?.lastLabel ?? Number.POSITIVE_INFINITY
  }

  get first(): Seat | undefined {
    return this.seats[0]
  }

  add(seat: Seat): void {
    this.seats.push(seat)
    this.rise(seat, this.seats.length - 1)
  }

  remove(seat: Seat): void {
    const at = seat.heapAt
    const last = this.seats.pop() as Seat
    seat.heapAt = -1
    if (last === seat) return
    if (comesFirst(last, seat)) this.rise(last, at)
    else this.sink(last, at)
  }

  private rise(seat: Seat, from: number): void {
    const { seats } = this
    let at = from
    while (at > 0) {
      const up = (at - 1) >> 1
      const other = seats[up] as Seat
      if (!comesFirst(seat, other)) break
      seats[at] = other
      other.heapAt = at
      at = up
    }
    seats[at] = seat
    seat.heapAt = at
  }

  private sink(seat: Seat, from: number): void {
    const { seats } = this
    const { length } = seats
    let at = from
    for (let down = 2 * at + 1; down < length; down = 2 * at + 1) {
      const right = seats[down + 1]
      if (right !== undefined && comesFirst(right, seats[down] as Seat)) down++
      const other = seats[down] as Seat
      if (!comesFirst(other, seat)) break
      seats[at] = other
      other.heapAt = at
      at = down
    }
    seats[at] = seat
    seat.heapAt = at
  }
}

function comesFirst(a: Seat, b: Seat): boolean {
  return a.lastLabel < b.lastLabel || (a.lastLabel === b.lastLabel && a.sequence.id < b.sequence.id)
}
