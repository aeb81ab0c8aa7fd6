import { FinishHeap } from './finish-heap.ts'
import type { Seat } from './seat.ts'

/**
 * Those that decode. Every one of them takes part in every decode step, so that D, the steps decided so far, tells of all of them
 *
 *     KV tokens read by the next step   Σ base + count·D
 *     who needs a block in it           those with (base − 1 + D) divisible by the tokens of a block
 *
 * and the needs of any row of steps follow from a count of residues.
 */
export class DecodeSet {
  readonly finish: FinishHeap = new FinishHeap()
  readonly byGroup: Int32Array
  count = 0
  /** Another number for another set. */
  version = 0
  private sumOfBases = 0
  private readonly blockTokens: number
  /** How many need a block where D has this residue. */
  private readonly needing: Int32Array
  /** Who they are, in order of `running`; only where blocks are told apart. */
  private readonly needers: Seat[][] | undefined

  constructor(blockTokens: number, groups: number, tellsApart: boolean) {
    this.blockTokens = blockTokens
    this.needing = new Int32Array(blockTokens)
    this.byGroup = new Int32Array(groups)
    this.needers = tellsApart ? Array.from({ length: blockTokens }, () => []) : undefined
  }

  kvTokens(decided: number): number {
    return this.sumOfBases + this.count * decided
  }

  add(seat: Seat, decided: number): void {
    seat.base = seat.target - decided
    seat.lastLabel = seat.sequence.promptTokens + seat.sequence.outputTokens - seat.base
    seat.decodes = true
    this.count++
    this.version++
    this.byGroup[seat.sequence.group] = (this.byGroup[seat.sequence.group] as number) + 1
    this.enter(seat)
  }

  remove(seat: Seat): void {
    seat.decodes = false
    this.count--
    this.version++
    this.byGroup[seat.sequence.group] = (this.byGroup[seat.sequence.group] as number) - 1
    this.leave(seat)
  }

  /** It stands out of one decode step. */
  delay(seat: Seat): void {
    this.leave(seat)
    seat.base--
    seat.lastLabel++
    this.version++
    this.enter(seat)
  }

  /** Who need a block in the step after `decided`; of those told apart. */
  needersAt(decided: number): readonly Seat[] {
    return this.needers?.[decided % this.blockTokens] ?? []
  }

  needs(seat: Seat, decided: number): boolean {
    return (seat.base - 1 + decided) % this.blockTokens === 0
  }

  /** Blocks that so many steps need, from the one after `decided` on. */
  blocksNeeded(decided: number, steps: number): number {
    const { blockTokens, needing } = this
    const rest = steps % blockTokens
    let blocks = ((steps - rest) / blockTokens) * this.count
    for (let i = 0, at = decided % blockTokens; i < rest; i++) {
      blocks += needing[at] as number
      if (++at === blockTokens) at = 0
    }
    return blocks
  }

  /** For how many steps, `most` at most, so many blocks suffice. */
  stepsWithin(decided: number, blocks: number, most: number): number {
    const { blockTokens, needing } = this
    const cycles = Math.floor(blocks / this.count)
    let steps = cycles * blockTokens
    if (steps >= most) return most
    let left = blocks - cycles * this.count
    for (let at = decided % blockTokens; steps < most; steps++) {
      left -= needing[at] as number
      if (left < 0) break
      if (++at === blockTokens) at = 0
    }
    return steps
  }

  private enter(seat: Seat): void {
    this.sumOfBases += seat.base
    this.finish.add(seat)
    const residue = this.residueOf(seat)
    this.needing[residue] = (this.needing[residue] as number) + 1
    const row = this.needers?.[residue]
    if (row === undefined) return
    let at = row.length
    while (at > 0 && (row[at - 1] as Seat).order > seat.order) at--
    row.splice(at, 0, seat)
  }

  private leave(seat: Seat): void {
    this.sumOfBases -= seat.base
    this.finish.remove(seat)
    const residue = this.residueOf(seat)
    this.needing[residue] = (this.needing[residue] as number) - 1
    const row = this.needers?.[residue]
    row?.splice(row.indexOf(seat), 1)
  }

  /** The D, up to whole blocks, at which it needs one: (1 − base) mod blockTokens. */
  private residueOf(seat: Seat): number {
    const residue = (1 - seat.base) % this.blockTokens
    return residue < 0 ? residue + this.blockTokens : residue
  }
}
