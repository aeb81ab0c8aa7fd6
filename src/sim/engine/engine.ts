import type { Finished, Sequence, Unfinished } from './sequence.ts'

/**
 * Steps of one engine in a row that had the same sequences in them: j = 1 … `steps` end at
 *
 *     startS + j·firstS + growthS·j·(j − 1)/2
 *
 * so that step j takes firstS + (j − 1)·growthS. Reported when it is over, in pieces where something had to be told in between; the time of
 * a step never depends on the pieces. The object is used again: valid during the call only.
 */
export interface Segment {
  /** When step 1 of the segment, which may lie before this piece, began. */
  readonly startS: number
  readonly firstS: number
  readonly growthS: number
  /** The piece is the steps from + 1 … from + steps. */
  readonly from: number
  readonly steps: number
  /** When the piece began, and ended. */
  readonly beganS: number
  readonly endS: number
  /** Sequences that decode in each. */
  readonly decoding: number
  /** Those of them whose gap before that token is the step's time, by their group; `resumed` tells the gaps of the others. */
  readonly decodingByGroup: Int32Array
  readonly prefillTokens: number
  /** Of those, read once before and lost by a preemption. */
  readonly recomputedTokens: number
}

export interface EngineListener {
  finished(engine: Engine, done: Finished): void
  segment(engine: Engine, segment: Segment): void
  /** A sequence gave way: its blocks are free again. */
  preempted(engine: Engine, sequence: Sequence, nowS: number): void
  /**
   * A sequence made its next token after an outage (it had given way, or stood out of a step): a gap that no segment tells. Called right
   * after the piece in which it did.
   */
  resumed(engine: Engine, sequence: Sequence, gapS: number): void
}

/** One engine (one data-parallel rank) with a clock of its own. Nothing happens in it between two instants that it names. */
export interface Engine {
  /** Its place in the fleet: 0, 1, 2 … */
  readonly index: number
  /** When something is next due: the end of a step, or of a row of steps alike. Infinity: it is idle. */
  readonly nextS: number
  /** Takes a request in at `nowS`, which is never after `nextS` nor before an earlier call. `nextS` may come nearer. */
  submit(sequence: Sequence, nowS: number): void
  /** Carries out what is due at `nextS`: tells the listener, and decides the next steps. */
  advance(): void
  /**
   * The run stops, at an instant not after `nextS`: tells the listener the steps that ended before it, then `tell` of each sequence that is
   * in the engine, with the tokens that it has. The last that may be asked of an engine.
   */
  stop(nowS: number, tell: (left: Unfinished) => void): void
  /** Whether it could ever hold such a request, alone. */
  holds(sequence: Sequence): boolean
  /** Tokens of the prompt that the prefix cache holds, at an instant not after `nextS`; 0 without one. */
  cachedTokens(sequence: Sequence, nowS: number): number
  readonly waiting: number
  readonly running: number
  /** Blocks that sequences hold, at an instant not after `nextS`; 0 where there is no limit. */
  blocksHeld(nowS: number): number
  /** All it has; Infinity: no limit. */
  readonly blocks: number
}
