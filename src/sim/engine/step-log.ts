/**
 * When each decode step of an engine ended, one entry a segment: the steps labelled `from` + j, j = 1, 2 …, end at
 *
 *     startS + j·firstS + growthS·j·(j − 1)/2
 *
 * Kept as far back as an answer in progress reaches.
 */
export class StepLog {
  private from = new Float64Array(16)
  private start = new Float64Array(16)
  private first = new Float64Array(16)
  private growth = new Float64Array(16)
  length = 0

  get isFull(): boolean {
    return this.length === this.from.length
  }

  push(from: number, startS: number, firstS: number, growthS: number): void {
    const at = this.length++
    this.from[at] = from
    this.start[at] = startS
    this.first[at] = firstS
    this.growth[at] = growthS
  }

  /** Makes room: forgets the entries of which no label after `oldest` is told, or doubles where that is less than half. */
  trim(oldest: number): void {
    const keep = Math.min(this.entryOf(oldest + 1), this.length - 1)
    const size = this.length - keep > this.from.length / 2 ? this.from.length * 2 : this.from.length
    this.from = moved(this.from, keep, this.length, size)
    this.start = moved(this.start, keep, this.length, size)
    this.first = moved(this.first, keep, this.length, size)
    this.growth = moved(this.growth, keep, this.length, size)
    this.length -= keep
  }

  /** The entry that tells a label. */
  entryOf(label: number): number {
    let low = 0
    let high = this.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.from[middle] as number) < label) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The last label that an entry tells, of those up to `last`. */
  lastOf(entry: number, last: number): number {
    return entry + 1 < this.length ? Math.min(this.from[entry + 1] as number, last) : last
  }

  endS(label: number): number {
    return this.endIn(this.entryOf(label), label)
  }

  endIn(entry: number, label: number): number {
    const j = label - (this.from[entry] as number)
    return stepEndS(this.start[entry] as number, this.first[entry] as number, this.growth[entry] as number, j)
  }
}

function moved(array: Float64Array, from: number, to: number, size: number): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(size)
  copy.set(array.subarray(from, to))
  return copy
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
