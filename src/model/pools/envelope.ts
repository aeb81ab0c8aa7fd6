/** What no other choice beats in both speeds at once. */
export interface Envelope<Entry> {
  /** Is a choice of these speeds better in one of them than all that is in? Asked before an entry is made, for most are not. */
  admits(pace: number, perGpu: number): boolean
  add(pace: number, perGpu: number, entry: Entry): void
  /** From the fastest for a user to the most per GPU. */
  entries(): readonly Entry[]
}

interface Kept<Entry> {
  readonly pace: number
  readonly perGpu: number
  readonly entry: Entry
}

/** What is better by less than a fiftieth is no better: what was looked at first, the simpler one, stays. */
const WORTH = 1.02

export function createEnvelope<Entry>(): Envelope<Entry> {
  // Pace falls and the speed per GPU rises along it.
  const kept: Kept<Entry>[] = []
  /** How many have a greater pace. */
  const faster = (pace: number): number => {
    let low = 0
    let high = kept.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((kept[middle]?.pace ?? 0) > pace) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    admits: (pace, perGpu) => WORTH * (kept[faster(pace / WORTH) - 1]?.perGpu ?? 0) < perGpu,
    add(pace, perGpu, entry) {
      const at = faster(pace)
      let beaten = 0
      while ((kept[at + beaten]?.perGpu ?? Number.POSITIVE_INFINITY) <= perGpu) beaten++
      kept.splice(at, beaten, { pace, perGpu, entry })
    },
    entries: () => kept.map(({ entry }) => entry),
  }
}
