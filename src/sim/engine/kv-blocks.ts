import { BlockCache } from './block-cache.ts'
import type { DecodeSet } from './decode-set.ts'
import type { EnginePolicy } from './policy.ts'
import type { Seat } from './seat.ts'
import type { Sequence } from './sequence.ts'

/** The KV blocks of an engine: only counted, or told apart where a prefix cache shares them. */
export class KvBlocks {
  readonly total: number
  /** Whether those that decode take blocks as they go. */
  readonly grow: boolean
  private readonly policy: EnginePolicy
  private readonly cache: BlockCache | undefined
  private freeCount: number
  /** Blocks that the cache had of the head of those that wait, when there was no room for it. */
  private triedHits = 0

  constructor(policy: EnginePolicy) {
    this.policy = policy
    this.total = Math.floor(policy.kvTokens / policy.blockTokens)
    this.grow = policy.kv === 'preempt' && (policy.prefixCache || this.total !== Number.POSITIVE_INFINITY)
    this.cache = policy.prefixCache ? new BlockCache(this.total, policy.blockTokens) : undefined
    this.freeCount = this.total
  }

  get free(): number {
    return this.cache === undefined ? this.freeCount : this.cache.free
  }

  of(tokens: number): number {
    return Math.ceil(tokens / this.policy.blockTokens)
  }

  holds(sequence: Sequence): boolean {
    return this.of(this.mostTokens(sequence)) <= this.total
  }

  /** The most tokens that it ever needs room for: where blocks are taken as tokens come, the last one has none, since it is never read again. */
  mostTokens({ promptTokens, outputTokens }: Sequence): number {
    return promptTokens + outputTokens - (this.policy.kv === 'reserve' ? 0 : 1)
  }

  cachedTokens(sequence: Sequence): number {
    const { cache } = this
    if (cache === undefined) return 0
    cache.look(sequence, sequence.ownId ?? Number.NaN, sequence.promptTokens)
    return cache.hits * this.policy.blockTokens
  }

  /** Tokens of one that waits which it need not read: whole blocks, and never the last token. */
  hitTokens(seat: Seat): number {
    const { cache } = this
    if (cache === undefined) return 0
    cache.look(seat.sequence, seat.ownId, seat.target)
    return cache.hits * this.policy.blockTokens
  }

  /** Right after `hitTokens`: takes what it needs to have `tokens` in the cache, if there is room for `room` of them. */
  admit(seat: Seat, tokens: number, room: number): boolean {
    const { cache, policy } = this
    const hits = cache === undefined ? 0 : cache.hits
    const unheld = cache === undefined ? 0 : cache.unheldHits
    const reserved = policy.kv === 'reserve' ? this.mostTokens(seat.sequence) : 0
    if (this.of(Math.max(reserved, room)) - hits > this.free - unheld) {
      this.triedHits = hits
      return false
    }
    cache?.share(seat, hits)
    this.take(seat, this.of(Math.max(reserved, tokens)) - hits)
    return true
  }

  take(seat: Seat, blocks: number): void {
    if (this.cache === undefined) this.freeCount -= blocks
    else this.cache.take(seat, blocks)
  }

  giveBack(seat: Seat, tokens: number): void {
    if (this.cache === undefined) this.freeCount += this.of(tokens)
    else this.cache.release(seat)
  }

  /** So many of its tokens are in the cache: others can hit the blocks that are full. */
  fill(seat: Seat, tokens: number): void {
    this.cache?.fill(seat, tokens)
  }

  /** The blocks of the step after `decided`, all of which are there. */
  takeFor(set: DecodeSet, decided: number): void {
    if (this.cache === undefined) this.freeCount -= set.blocksNeeded(decided, 1)
    else for (const seat of set.needersAt(decided)) this.cache.take(seat, 1)
  }

  /** Those that the same step fills. */
  fillFor(set: DecodeSet, decided: number, except: readonly Seat[]): void {
    if (this.cache === undefined) return
    for (const seat of set.needersAt(decided + 1)) {
      if (!except.includes(seat)) this.cache.fill(seat, seat.base + decided)
    }
  }

  /** The same for a row of steps from there on, in which nobody comes and nobody leaves. */
  growOn(set: DecodeSet, decided: number, steps: number): void {
    if (this.cache === undefined) {
      if (this.grow) this.freeCount -= set.blocksNeeded(decided, steps)
      return
    }
    for (let i = decided; i < decided + steps; i++) {
      if (this.grow) this.takeFor(set, i)
      this.fillFor(set, i, NOBODY)
    }
  }

  /** The head had no room, but it hits more by now, or one that decodes makes the very block that it lacks. */
  mayHitSoon(head: Seat, first: Seat | undefined): boolean {
    const { cache } = this
    if (cache === undefined) return false
    cache.look(head.sequence, head.ownId, head.target)
    if (cache.hits > this.triedHits) return true
    for (let seat = first; seat !== undefined; seat = seat.after) if (seat.ownId === cache.missed) return true
    return false
  }
}

const NOBODY: readonly Seat[] = []
