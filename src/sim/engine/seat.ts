import { empty } from './empty.ts'
import type { Sequence } from './sequence.ts'

/** Of an instant that has not come. No whole number: a field that has held one first is compiled for that, and then anew. */
export const NEVER: number = Number.NEGATIVE_INFINITY

export const NOBODY: Sequence = { id: -1, lane: 0, group: 0, promptTokens: 1, outputTokens: 1, priority: 0 }

/**
 * What an engine knows of one sequence from its submission to its last token. Used again for another one then, so that a request allocates
 * nothing. Decode steps of an engine are numbered (*labels*, 1, 2, 3 …), and each sequence that decodes is in every one of them, so that
 * most of what changes with every step is told by the engine's own count D of steps decided:
 *
 *     tokens that must be in the cache before its next one   target = base + D
 *     the label of the step that brings its last token       promptTokens + outputTokens − base
 */
export class Seat {
  sequence: Sequence = NOBODY
  /** Answer tokens, as of the last time that it joined or left those that decode. */
  made = 0
  /** Tokens in the cache, while it does not decode. */
  computed = 0
  base = 0
  lastLabel = 0
  decodes = false
  /** The number of the step in which its prompt was completed. */
  joinedStep = -1
  /** It stood out of the last step. */
  isStalled = false
  /** Its place in `running`: rises with every admission. */
  order = 0
  before: Seat | undefined = undefined
  after: Seat | undefined = undefined
  admittedS: number = NEVER
  preemptions = 0
  cachedTokens = 0
  recomputedTokens = 0
  /** The highest `computed` that a preemption undid. */
  lost = 0
  /** Its tokens of the present spell: one at `promptS`, the end of the prompt's step (`NEVER`: none), then one in each label after `joined`. */
  promptS: number = NEVER
  joined: number = Number.POSITIVE_INFINITY
  /** Spells that are over: promptS, joined, last label of each in a row. */
  readonly spells: number[] = []
  /** When the token before the present spell came; `NEVER`: none. */
  outageS: number = NEVER
  /** With a prefix cache: its blocks from the first on, and how many of them have been offered a key. */
  readonly blocks: number[] = []
  keyed = 0
  /** The id of its own blocks. */
  ownId = 0

  reset(sequence: Sequence, ownId: number): void {
    this.sequence = sequence
    this.ownId = ownId
    this.made = 0
    this.joinedStep = -1
    this.isStalled = false
    this.computed = 0
    this.decodes = false
    this.admittedS = NEVER
    this.preemptions = 0
    this.cachedTokens = 0
    this.recomputedTokens = 0
    this.lost = 0
    this.promptS = NEVER
    this.joined = Number.POSITIVE_INFINITY
    empty(this.spells)
    this.outageS = NEVER
  }

  get target(): number {
    return this.sequence.promptTokens + this.made
  }

  /** The label before its first token of a decode step; Infinity: it has none. */
  get firstLabel(): number {
    return this.spells.length > 0 ? (this.spells[1] as number) : this.joined
  }
}
