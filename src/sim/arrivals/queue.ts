/**
 * What will come at known instants: the earliest first, and of those at one instant the one that was put in first. A binary heap, of three
 * lists in place of one of objects: nothing is allocated for what comes and goes.
 */
export class ArrivalQueue {
  private readonly instants: number[] = []
  private readonly orders: number[] = []
  private readonly owners: number[] = []
  private order = 0

  /** Infinity: nothing is in it. */
  get nextS(): number {
    return this.instants.length === 0 ? Number.POSITIVE_INFINITY : (this.instants[0] as number)
  }

  put(whose: number, atS: number): void {
    const order = this.order++
    let at = this.instants.length
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.isBefore(atS, order, above)) break
      this.move(above, at)
      at = above
    }
    this.set(at, atS, order, whose)
  }

  /** Whose is the earliest; it is out then. Undefined: nothing is in it. */
  take(): number | undefined {
    const { instants, orders } = this
    const first = this.owners[0]
    const atS = instants.pop()
    const order = orders.pop()
    const whose = this.owners.pop()
    const { length } = instants
    if (atS === undefined || order === undefined || whose === undefined || length === 0) return first
    let at = 0
    for (let below = 1; below < length; below = 2 * at + 1) {
      const right = below + 1
      if (right < length && this.isBefore(instants[right] as number, orders[right] as number, below)) below = right
      if (this.isBefore(atS, order, below)) break
      this.move(below, at)
      at = below
    }
    this.set(at, atS, order, whose)
    return first
  }

  private isBefore(atS: number, order: number, other: number): boolean {
    const otherS = this.instants[other] as number
    return atS < otherS || (atS === otherS && order < (this.orders[other] as number))
  }

  private move(from: number, to: number): void {
    this.set(to, this.instants[from] as number, this.orders[from] as number, this.owners[from] as number)
  }

  private set(at: number, atS: number, order: number, whose: number): void {
    this.instants[at] = atS
    this.orders[at] = order
    this.owners[at] = whose
  }
}
