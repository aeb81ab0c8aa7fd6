const ENTRY = 4
/** Entries at first. */
const FEW = 64

/**
 * When each decode step of an engine ended, one entry a segment: the steps labelled `from` + j, j = 1, 2 …, end at
 *
 *     startS + j·firstS + growthS·j·(j − 1)/2
 *
 * Kept as far back as an answer in progress reaches.
 */
export class StepLog {
  /** from, startS, firstS and growthS of each entry in a row, so that one entry is one line of memory. */
  private entries = new Float64Array(ENTRY * FEW)
  length = 0
  /** An instant, and the last label that ended before it: what was found when it was last looked for. */
  readonly edge: { us: number; label: number } = { us: Number.NaN, label: 0 }

  get isFull(): boolean {
    return ENTRY * this.length === this.entries.length
  }

  push(from: number, startS: number, firstS: number, growthS: number): void {
    const { entries } = this
    const at = ENTRY * this.length++
    entries[at] = from
    entries[at + 1] = startS
    entries[at + 2] = firstS
    entries[at + 3] = growthS
  }

  /** Makes room: forgets the entries of which no label after `oldest` is told, and doubles where that is less than half. */
  trim(oldest: number): void {
    const { entries } = this
    const keep = Math.min(this.entryOf(oldest + 1), this.length - 1)
    const kept = this.length - keep
    if (2 * ENTRY * kept > entries.length) this.entries = new Float64Array(2 * entries.length)
    // Few as a rule, of which a loop makes less ado than what is built in.
    for (let at = 0; at < ENTRY * kept; at++) this.entries[at] = entries[ENTRY * keep + at] as number
    this.length = kept
  }

  /** The entry that tells a label. */
  entryOf(label: number): number {
    const { entries } = this
    let low = 0
    let high = this.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((entries[ENTRY * middle] as number) < label) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The last label that an entry tells, of those up to `last`. */
  lastOf(entry: number, last: number): number {
    return entry + 1 < this.length ? Math.min(this.entries[ENTRY * (entry + 1)] as number, last) : last
  }

  endS(label: number): number {
    return this.endIn(this.entryOf(label), label)
  }

  endIn(entry: number, label: number): number {
    const { entries } = this
    const at = ENTRY * entry
    const j = label - (entries[at] as number)
    return stepEndS(entries[at + 1] as number, entries[at + 2] as number, entries[at + 3] as number, j)
  }
}

/** When step j of a segment ends: always by this very formula, so that nothing depends on how a run is cut. */
export function stepEndS(startS: number, firstS: number, growthS: number, j: number): number {
  return startS + j * firstS + (growthS * j * (j - 1)) / 2
}

/** The first step j ≥ `least` that ends at `atS` or later, `most` at most: the root of the quadratic, put right by the formula itself. */
export function stepEndingAt(
  segment: { readonly startS: number; readonly firstS: number; readonly growthS: number },
  atS: number,
  least: number,
  most: number,
): number {
  const { startS, firstS, growthS } = segment
  // growth·j²/2 + (first − growth/2)·j = at − start, in the form that loses no digits when growth is small
  const linear = firstS - growthS / 2
  const spanS = atS - startS
  const root = (2 * spanS) / (linear + Math.sqrt(Math.max(0, linear * linear + 2 * growthS * spanS)))
  let j = Math.min(Math.max(Number.isFinite(root) ? Math.ceil(root) : least, least), most)
  while (j > least && stepEndS(startS, firstS, growthS, j - 1) >= atS) j--
  while (j < most && stepEndS(startS, firstS, growthS, j) < atS) j++
  return j
}
