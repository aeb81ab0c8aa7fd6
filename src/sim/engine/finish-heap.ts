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
    if (last === seat) return
    this.rise(last, label, id, at)
    if (this.seats[at] === last) this.sink(last, label, id, at)
  }

  private rise(seat: Seat, label: number, id: number, from: number): void {
    let at = from
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!this.isBefore(label, id, up)) break
      this.move(up, at)
      at = up
    }
    this.put(seat, label, id, at)
  }

  private sink(seat: Seat, label: number, id: number, from: number): void {
    const { length } = this.seats
    let at = from
    for (let down = 2 * at + 1; down < length; down = 2 * at + 1) {
      const right = down + 1
      if (right < length && this.isBefore(this.labels[right] as number, this.ids[right] as number, down)) down = right
      if (this.isBefore(label, id, down)) break
      this.move(down, at)
      at = down
    }
    this.put(seat, label, id, at)
  }

  private isBefore(label: number, id: number, other: number): boolean {
    const otherLabel = this.labels[other] as number
    return label < otherLabel || (label === otherLabel && id < (this.ids[other] as number))
  }

  private move(from: number, to: number): void {
    this.put(this.seats[from] as Seat, this.labels[from] as number, this.ids[from] as number, to)
  }

  private put(seat: Seat, label: number, id: number, at: number): void {
    this.seats[at] = seat
    this.labels[at] = label
    this.ids[at] = id
  }
}
