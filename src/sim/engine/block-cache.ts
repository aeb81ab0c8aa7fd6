import type { Seat } from './seat.ts'
import type { Sequence } from './sequence.ts'

/** More blocks than any part has. */
const INDICES = 2 ** 22
const NONE = -1

/**
 * KV blocks told apart, so that those of the same beginning are shared. A full block has a key, the id of the part of a prompt that it lies
 * in and its place there. One that nobody holds is kept by its key until its room is needed, the one let go longest ago first:
 *
 *     blank ones → held → (key? end of the queue : blank) → hit again, or taken from the queue's front without its key
 */
export class BlockCache {
  readonly total: number
  private readonly blockTokens: number
  private held = 0
  /** Blocks ever used: the next number. */
  private used = 0
  private readonly blank: number[] = []
  private readonly byKey = new Map<number, number>()
  private readonly keys: number[] = []
  private readonly holders: number[] = []
  /** The queue, doubly linked. */
  private readonly before: number[] = []
  private readonly after: number[] = []
  private first = NONE
  private last = NONE
  /** Of the last look-up: how many blocks hit, and how many of them nobody holds. */
  hits = 0
  unheldHits = 0
  /** The key that was not there; undefined: the prompt has no further one. */
  missed: number | undefined = undefined

  constructor(total: number, blockTokens: number) {
    this.total = total
    this.blockTokens = blockTokens
  }

  get free(): number {
    return this.total - this.held
  }

  /** Looks up how many blocks of so many tokens are there, from the first on. */
  look(sequence: Sequence, ownId: number, tokens: number): void {
    const most = Math.floor((tokens - 1) / this.blockTokens)
    this.hits = 0
    this.unheldHits = 0
    this.missed = undefined
    while (this.hits < most) {
      const key = this.keyOf(sequence, ownId, this.hits)
      const block = this.byKey.get(key)
      if (block === undefined) {
        this.missed = Math.floor(key / INDICES)
        return
      }
      this.hits++
      if (this.holders[block] === 0) this.unheldHits++
    }
  }

  /** Shares so many blocks that the last look-up hit. */
  share(seat: Seat, hits: number): void {
    for (let i = 0; i < hits; i++) {
      const block = this.byKey.get(this.keyOf(seat.sequence, seat.ownId, i)) as number
      if (this.holders[block] === 0) {
        this.unqueue(block)
        this.held++
      }
      this.holders[block] = (this.holders[block] as number) + 1
      seat.blocks.push(block)
    }
    seat.keyed = hits
  }

  take(seat: Seat, blocks: number): void {
    for (let i = 0; i < blocks; i++) {
      const block = this.blank.pop() ?? (this.used < this.total ? this.used++ : this.takeQueued())
      this.holders[block] = 1
      this.keys[block] ??= Number.NaN
      this.held++
      seat.blocks.push(block)
    }
  }

  /** Gives keys to the blocks that are full with so many tokens. A key that another block has stays that block's. */
  fill(seat: Seat, tokens: number): void {
    const full = Math.floor(tokens / this.blockTokens)
    for (let i = seat.keyed; i < full; i++) {
      const key = this.keyOf(seat.sequence, seat.ownId, i)
      if (this.byKey.has(key)) continue
      const block = seat.blocks[i] as number
      this.byKey.set(key, block)
      this.keys[block] = key
    }
    if (full > seat.keyed) seat.keyed = full
  }

  /** Lets all go, from the last to the first. */
  release(seat: Seat): void {
    const { blocks } = seat
    for (let i = blocks.length - 1; i >= 0; i--) {
      const block = blocks[i] as number
      const holders = (this.holders[block] as number) - 1
      this.holders[block] = holders
      if (holders > 0) continue
      this.held--
      if (Number.isNaN(this.keys[block])) this.blank.push(block)
      else this.queue(block)
    }
    blocks.length = 0
    seat.keyed = 0
  }

  private takeQueued(): number {
    const block = this.first
    this.unqueue(block)
    this.byKey.delete(this.keys[block] as number)
    this.keys[block] = Number.NaN
    return block
  }

  private queue(block: number): void {
    this.before[block] = this.last
    this.after[block] = NONE
    if (this.last === NONE) this.first = block
    else this.after[this.last] = block
    this.last = block
  }

  private unqueue(block: number): void {
    const before = this.before[block] as number
    const after = this.after[block] as number
    if (before === NONE) this.first = after
    else this.after[before] = after
    if (after === NONE) this.last = before
    else this.before[after] = before
  }

  /** Part i covers the blocks ⌊cum(i − 1)/B⌋ … ⌊cum(i)/B⌋ − 1, cum its tokens and those before; what follows the parts is the sequence's own. */
  private keyOf({ parts = [] }: Sequence, ownId: number, index: number): number {
    let tokens = 0
    let from = 0
    for (const part of parts) {
      tokens += part.tokens
      const to = Math.floor(tokens / this.blockTokens)
      if (index < to) return part.id * INDICES + index - from
      from = to
    }
    return ownId * INDICES + index - from
  }
}
