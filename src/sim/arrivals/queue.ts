/** What will come at known instants: the earliest first, and of those at one instant the one that was put in first. A binary heap. */
export interface ArrivalQueue {
  /** Infinity: nothing is in it. */
  readonly nextS: number
  put(whose: number, atS: number): void
  /** Whose is the earliest; it is out then. Undefined: nothing is in it. */
  take(): number | undefined
}

interface Entry {
  readonly atS: number
  readonly order: number
  readonly whose: number
}

const isBefore = (a: Entry, b: Entry): boolean => a.atS < b.atS || (a.atS === b.atS && a.order < b.order)

export function createArrivalQueue(): ArrivalQueue {
  const heap: Entry[] = []
  let order = 0
  return {
    get nextS() {
      return heap[0]?.atS ?? Number.POSITIVE_INFINITY
    },
    put: (whose, atS) => {
      const entry = { atS, order, whose }
      order += 1
      let at = heap.length
      for (;;) {
        const parent = (at - 1) >> 1
        const above = heap[parent]
        if (above === undefined || isBefore(above, entry)) break
        heap[at] = above
        at = parent
      }
      heap[at] = entry
    },
    take: () => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined || first === last) return first?.whose
      let at = 0
      for (;;) {
        const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
        const child = right !== undefined && left !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
        const below = heap[child]
        if (below === undefined || isBefore(last, below)) break
        heap[at] = below
        at = child
      }
      heap[at] = last
      return first.whose
    },
  }
}
