import type { Seat } from './seat.ts'

/** Those that are admitted, in the order in which they were; doubly linked, since most leave from the middle. */
export class RunningList {
  first: Seat | undefined = undefined
  last: Seat | undefined = undefined
  private admissions = 0

  add(seat: Seat): void {
    seat.order = this.admissions++
    seat.before = this.last
    seat.after = undefined
    if (this.last === undefined) this.first = seat
    else this.last.after = seat
    this.last = seat
  }

  remove(seat: Seat): void {
    const { before, after } = seat
    if (before === undefined) this.first = after
    else before.after = after
    if (after === undefined) this.last = before
    else after.before = before
    seat.before = undefined
    seat.after = undefined
  }
}
