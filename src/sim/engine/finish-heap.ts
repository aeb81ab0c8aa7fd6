import type { Seat } from './seat.ts'

/**
 * Those that decode, by the step of their last token, then by id. What is compared lies beside the seats, since many engines take turns and
 * a seat that is looked at must mostly be fetched from far.
 */
export class FinishHeap {
  private readonly seats: Seat[] = []
  private readonly labels: number[] = []
  private readonly ids: number[] = []

  /** The label of the next last token; Infinity: nobody decodes. */
  get next(): number {
    return this.labels.length === 0 ? Number.POSITIVE_INFINITY : (this.labels[0] as number)
  }

  get first(): Seat | undefined {
    return this.seats[0]
  }

  add(seat: Seat): void {
    const at = this.seats.length
    const { lastLabel } = seat
    const { id } = seat.sequence
    this.seats.push(seat)
    this.labels.push(lastLabel)
    this.ids.push(id)
    this.rise(seat, lastLabel, id, at)
  }

  /** Mostly the first; who gives way is looked for. */
  remove(seat: Seat): void {
    const at = this.seats[0] === seat ? 0 : this.seats.indexOf(seat)
    const last = this.seats.pop() as Seat
    const label = this.labels.pop() as number
    const id = this.ids.pop() as number
    // The last one mostly belongs in the last row again: from there it rises a place or none.
    if (last !== seat) this.rise(last, label, id, this.sinkHole(at))
  }

  private rise(seat: Seat, label: number, id: number, from: number): void {
    const { seats, labels, ids } = this
    let at = from
    while (at > 0) {
      const up = (at - 1) >> 1
      const above = labels[up] as number
      if (above < label || (above === label && (ids[up] as number) < id)) break
      seats[at] = seats[up] as Seat
      labels[at] = above
      ids[at] = ids[up] as number
      at = up
    }
    seats[at] = seat
    labels[at] = label
    ids[at] = id
  }

  /** Fills an empty place with the first of those below it, and so on: the place in the last row that is empty then. */
  private sinkHole(from: number): number {
    const { seats, labels, ids } = this
    const { length } = seats
    let at = from
    for (let down = 2 * at + 1; down < length; down = 2 * at + 1) {
      let label = labels[down] as number
      const right = down + 1
      if (right < length) {
        const other = labels[right] as number
        if (other < label || (other === label && (ids[right] as number) < (ids[down] as number))) {
          down = right
          label = other
        }
      }
      seats[at] = seats[down] as Seat
      labels[at] = label
      ids[at] = ids[down] as number
      at = down
    }
    return at
  }
}
