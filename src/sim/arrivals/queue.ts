/** What will come at known instants: the earliest first, and of those at one instant the one that was put in first. A binary heap. */
export interface ArrivalQueue {
  /** Infinity: nothing is in it. */
  readonly nextS: number
  put(whose: number, atS: number): void
  /** Whose is the earliest; it is out then. Undefined: nothing is in it. */
  take(): number | undefined
}

// Three lists in place of one of objects: nothing is allocated for what comes and goes.

export function createArrivalQueue(): ArrivalQueue {
  const instants: number[] = []
  const orders: number[] = []
  const owners: number[] = []
  let order = 0

  const isBefore = (atS: number, itsOrder: number, other: number): boolean => {
    const otherS = instants[other] as number
    return atS < otherS || (atS === otherS && itsOrder < (orders[other] as number))
  }
  const set = (at: number, atS: number, itsOrder: number, whose: number): void => {
    instants[at] = atS
    orders[at] = itsOrder
    owners[at] = whose
  }
  const move = (from: number, to: number): void =>
    set(to, instants[from] as number, orders[from] as number, owners[from] as number)

  return {
    get nextS() {
      return instants.length === 0 ? Number.POSITIVE_INFINITY : (instants[0] as number)
    },
    put: (whose, atS) => {
      let at = instants.length
      while (at > 0) {
        const above = (at - 1) >> 1
        if (!isBefore(atS, order, above)) break
        move(above, at)
        at = above
      }
      set(at, atS, order, whose)
      order += 1
    },
    take: () => {
      const first = owners[0]
      const atS = instants.pop()
      const [itsOrder, whose] = [orders.pop(), owners.pop()]
      if (atS === undefined || itsOrder === undefined || whose === undefined || instants.length === 0) return first
      let at = 0
      for (;;) {
        let below = 2 * at + 1
        if (below >= instants.length) break
        const right = below + 1
        if (right < instants.length && isBefore(instants[right] as number, orders[right] as number, below))
          below = right
        if (isBefore(atS, itsOrder, below)) break
        move(below, at)
        at = below
      }
      set(at, atS, itsOrder, whose)
      return first
    },
  }
}
