import type { Seat } from './seat.ts'
import type { Sequence } from './sequence.ts'

const NONE = -1

/**
 * KV blocks told apart, so that those of the same beginning are shared. A full block has a key, the id of the part of a prompt that it lies
 * in and its place there. One that nobody holds is kept by its key until its room is needed, the one let go longest ago first:
 *
 *     blank → held → (key? end of the queue : blank)      queue → hit: held again, or from its front: taken, without its key
 *
 * Blocks are numbers, found by key in chains of a hash table, so that nothing is allocated but the table.
 */
export class BlockCache {
  private readonly total: number
  private readonly blockTokens: number
  private held = 0
  /** Blocks ever used: the next number. */
  private used = 0
  private readonly blank: number[] = []

  private ids = new Float64Array(64)
  /** −1: no key. */
  private places = new Int32Array(64).fill(NONE)
  private holders = new Int32Array(64)
  /** The queue, doubly linked. */
  private before = new Int32Array(64)
  private after = new Int32Array(64)
  private first = NONE
  private last = NONE
  /** The chains: the first block of each, and the next after each block. */
  private chains = new Int32Array(64).fill(NONE)
  private nextInChain = new Int32Array(64)

  /** Of the last look-up: how many blocks hit, and how many of them nobody holds. */
  hits = 0
  unheldHits = 0
  /** The id of the first key that was not there; undefined: all were. */
  missed: number | undefined = undefined

  /** A walk along the keys of a sequence: the key that it stands at, and the blocks from … to − 1 of the part. */
  private id = 0
  private place = 0
  private from = 0
  private to = 0
  private tokens = 0
  private nextPart = 0

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
    this.beginWalk()
    while (this.hits < most) {
      this.walkTo(this.hits, sequence, ownId)
      const block = this.find()
      if (block === NONE) {
        this.missed = this.id
        return
      }
      this.hits++
      if (this.holders[block] === 0) this.unheldHits++
    }
  }

  /** Shares so many blocks, which the last look-up hit. */
  share(seat: Seat, hits: number): void {
    this.beginWalk()
    for (let i = 0; i < hits; i++) {
      this.walkTo(i, seat.sequence, seat.ownId)
      const block = this.find()
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
      const block = this.blank.pop() ?? (this.used < this.total ? this.create() : this.takeQueued())
      this.holders[block] = 1
      this.held++
      seat.blocks.push(block)
    }
  }

  /** Gives keys to the blocks that are full with so many tokens. A key that another block has stays that block's. */
  fill(seat: Seat, tokens: number): void {
    const full = Math.floor(tokens / this.blockTokens)
    this.beginWalk()
    for (let i = seat.keyed; i < full; i++) {
      this.walkTo(i, seat.sequence, seat.ownId)
      if (this.find() !== NONE) continue
      const block = seat.blocks[i] as number
      this.ids[block] = this.id
      this.places[block] = this.place
      this.chain(block)
    }
    if (full > seat.keyed) seat.keyed = full
  }

  /** Lets all go, from the last to the first. */
  release(seat: Seat): void {
    const { blocks } = seat
    for (let block = blocks.pop(); block !== undefined; block = blocks.pop()) {
      const holders = (this.holders[block] as number) - 1
      this.holders[block] = holders
      if (holders > 0) continue
      this.held--
      if (this.places[block] === NONE) this.blank.push(block)
      else this.enqueue(block)
    }
    seat.keyed = 0
  }

  private create(): number {
    const block = this.used++
    if (block === this.holders.length) this.grow(block * 2)
    return block
  }

  private takeQueued(): number {
    const block = this.first
    this.unqueue(block)
    this.unchain(block)
    this.places[block] = NONE
    return block
  }

  // ---- The queue ----

  private enqueue(block: number): void {
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

  // ---- Keys ----

  private beginWalk(): void {
    this.from = 0
    this.to = 0
    this.tokens = 0
    this.nextPart = 0
  }

  /**
   * On to the key of a block: part i covers the blocks ⌊c(i − 1)/B⌋ … ⌊c(i)/B⌋ − 1, c(i) the tokens up to its end; what follows the parts is
   * the sequence's own.
   */
  private walkTo(block: number, { parts }: Sequence, ownId: number): void {
    while (block >= this.to) {
      const part = parts?.[this.nextPart++]
      this.from = this.to
      if (part === undefined) {
        this.to = Number.POSITIVE_INFINITY
        this.id = ownId
      } else {
        this.tokens += part.tokens
        this.to = Math.floor(this.tokens / this.blockTokens)
        this.id = part.id
      }
    }
    this.place = block - this.from
  }

  /** The block that has the key; −1: none. */
  private find(): number {
    const { ids, places, id, place } = this
    let block = this.chains[hash(id, place) & (this.chains.length - 1)] as number
    while (block !== NONE && (places[block] !== place || ids[block] !== id)) block = this.nextInChain[block] as number
    return block
  }

  private chain(block: number): void {
    const at = this.chainOf(block)
    this.nextInChain[block] = this.chains[at] as number
    this.chains[at] = block
  }

  private unchain(block: number): void {
    const { nextInChain } = this
    const at = this.chainOf(block)
    const next = nextInChain[block] as number
    let other = this.chains[at] as number
    if (other === block) {
      this.chains[at] = next
      return
    }
    while (nextInChain[other] !== block) other = nextInChain[other] as number
    nextInChain[other] = next
  }

  private chainOf(block: number): number {
    return hash(this.ids[block] as number, this.places[block] as number) & (this.chains.length - 1)
  }

  private grow(size: number): void {
    const { ids, places, holders, before, after } = this
    this.ids = new Float64Array(size)
    this.ids.set(ids)
    this.places = new Int32Array(size).fill(NONE)
    this.places.set(places)
    this.holders = grown(holders, size)
    this.before = grown(before, size)
    this.after = grown(after, size)
    this.nextInChain = new Int32Array(size)
    this.chains = new Int32Array(size).fill(NONE)
    for (let block = 0; block < places.length; block++) if (places[block] !== NONE) this.chain(block)
  }
}

function grown(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(size)
  copy.set(array)
  return copy
}

function hash(id: number, place: number): number {
  const mixed = Math.imul(id | 0, 0x9e3779b1) ^ Math.imul(place, 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}
