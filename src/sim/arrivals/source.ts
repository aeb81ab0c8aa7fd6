import type { PromptPart } from '../engine/sequence.ts'

/** A request that comes. */
export interface Arrival {
  /** Seconds on the run's clock, in whole microseconds. */
  readonly atS: number
  readonly promptTokens: number
  readonly outputTokens: number
  readonly parts?: readonly PromptPart[]
  readonly ownId?: number
  /** Whose it is, where somebody waits for the answer. */
  readonly user?: number
}

/**
 * Where the requests of one lane come from. Same seed, same requests, whatever the fleet does with them, as far as nobody waits for it.
 *
 * Make it a class where many are made: of an object literal with a getter each one has a shape of its own, which no engine compiles well for.
 */
export interface Source {
  /** When the next one comes, as far as is known now; Infinity: none, unless an answer brings one. Never before the last that was taken. */
  readonly nextS: number
  /** Takes it. Throws a RangeError where there is none. */
  take(): Arrival
  /** Its answer has ended (or was refused) at `endS`: who waited for it may ask again. */
  ended(arrival: Arrival, endS: number): void
}
