import { empty } from './empty.ts'
import type { Seat } from './seat.ts'

/** What a step has in it, as decided. Two of them are used in turn. */
export class Composition {
  /** The decode steps decided with it: its label, where it has one. */
  label = 0
  /** How many steps the engine had decided with it. */
  step = 0
  /** Of the set that decodes. */
  version = -1
  decoding = 0
  decodeKvTokens = 0
  /** Of those, whose gap before this token is the step's time. */
  readonly byGroup: Int32Array
  readonly completing: Seat[] = []
  completingKvTokens = 0
  prefillTokens = 0
  /** Σ chunk tokens · their mean position. */
  positions = 0
  recomputedTokens = 0
  /** Who decode here after another step than the one before, or for the first time at all. */
  readonly irregular: Seat[] = []

  constructor(groups: number) {
    this.byGroup = new Int32Array(groups)
  }

  get isEmpty(): boolean {
    return this.decoding === 0 && this.prefillTokens === 0
  }

  /** Empty again. An array that is empty is left alone: to cut one costs more than all the rest. */
  clear(): void {
    this.version = -1
    for (let i = 0; i < this.byGroup.length; i++) this.byGroup[i] = 0
    this.decoding = 0
    this.decodeKvTokens = 0
    empty(this.completing)
    this.completingKvTokens = 0
    this.prefillTokens = 0
    this.positions = 0
    this.recomputedTokens = 0
    empty(this.irregular)
  }

  /** So many more of it went by. */
  pass(steps: number): void {
    this.label += steps
    this.step += steps
    this.decodeKvTokens += steps * this.decoding
  }

  /** Its gap is another. */
  leaveOut({ sequence: { group } }: Seat): void {
    this.byGroup[group] = (this.byGroup[group] as number) - 1
  }

  /** A chunk of a prompt; with its last one the sequence makes a token. */
  read(seat: Seat, tokens: number): void {
    const { computed, target } = seat
    this.prefillTokens += tokens
    this.positions += tokens * (computed + tokens / 2)
    const again = Math.max(0, Math.min(computed + tokens, seat.lost) - computed)
    this.recomputedTokens += again
    seat.recomputedTokens += again
    seat.computed = computed + tokens
    if (seat.computed < target) return
    this.completing.push(seat)
    this.completingKvTokens += target
  }
}
