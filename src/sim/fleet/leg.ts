import type { Journey } from '../answer/observer.ts'
import type { Arrival } from '../arrivals/source.ts'
import type { Finished, PromptPart, Sequence } from '../engine/sequence.ts'

/** What the reading of a prompt in a pool of its own came to; the answer's record says it. */
export type Reading = Pick<Finished, 'admittedS' | 'cachedTokens' | 'preemptions' | 'recomputedTokens'>

/**
 * A request in one pool: the sequence that an engine sees and the journey that the observer is told of are this one object, so that nothing
 * has to be looked up. A split request has two: one that reads its prompt, then the one that answers.
 */
export class Leg implements Sequence, Journey {
  readonly id: number
  readonly lane: number
  readonly group: number
  readonly arrival: Arrival
  readonly promptTokens: number
  readonly outputTokens: number
  readonly priority: number
  readonly parts?: readonly PromptPart[]
  readonly ownId?: number
  pool = -1
  isPrefilled = false
  /** Of one that only reads: the leg that answers. */
  readonly answer?: Leg
  /** Of one that answers what another pool has read. */
  reading?: Reading

  constructor(id: number, lane: number, group: number, priority: number, arrival: Arrival, answer?: Leg) {
    this.id = id
    this.lane = lane
    this.group = group
    this.arrival = arrival
    this.promptTokens = arrival.promptTokens
    this.outputTokens = answer === undefined ? arrival.outputTokens : 1
    this.priority = priority
    if (arrival.parts !== undefined) this.parts = arrival.parts
    if (arrival.ownId !== undefined) this.ownId = arrival.ownId
    if (answer !== undefined) this.answer = answer
  }

  /** The leg that reads the prompt for this one. */
  reader(): Leg {
    return new Leg(this.id, this.lane, this.group, this.priority, this.arrival, this)
  }
}
