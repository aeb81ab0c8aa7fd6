import { type Configuration, type Lengths, meanContext } from './configuration.ts'

/** What one step of one replica has to do. */
export interface StepWork {
  /** Sequences that decode, over all data-parallel copies. */
  readonly sequences: number
  /** Mean tokens of context of each. */
  readonly contextTokens: number
  /** Prompt tokens that are read in the same step, over all copies; 0 in a step of decode alone. */
  readonly prefillTokens: number
  /** The data-parallel copies that read them, so many each; absent: all of them. */
  readonly prefillCopies?: number
  /** Mean tokens that already stand before those prompt tokens, in the cache. */
  readonly prefillContextTokens: number
}

/** So many sequences in the middle of their answers, and no prompt. */
export function decodeStep(sequences: number, lengths: Lengths): StepWork {
  return { sequences, contextTokens: meanContext(lengths), prefillTokens: 0, prefillContextTokens: 0 }
}

/** What the time of a part goes into. `capacity` binds a point, not a part: the memory holds no more sequences. */
export type Binding = 'weights' | 'kv' | 'compute' | 'communication' | 'capacity'

/** What the time of one part of a step goes into. */
export type Bound = Exclude<Binding, 'capacity'> | 'overhead'

/** One part of a step, over all layers, on the GPU that has the most to do. */
export interface StepPart {
  readonly name: string
  readonly seconds: number
  readonly binds: Bound
  /** Read or written in memory; or, of a collective, sent over the link. */
  readonly bytes: number
  readonly flops: number
}

/** The time of a step from specifications: what everything else in a prediction is made of. */
export interface StepModel {
  readonly configuration: Configuration
  /** From the arrival of a request to the first step that may read its prompt, on the host. */
  arrivalSeconds(inputTokens: number): number
  /** How many times as long as foretold a request was seen to wait for its first token at a load; 1 from specifications. */
  waitFactor(load: number): number
  /** Seconds; the sum of the parts. Allocates nothing, for a search asks it millions of times. */
  stepSeconds(work: StepWork): number
  parts(work: StepWork): readonly StepPart[]
  /** Adds the seconds of the parts, so many times, to what binds each. Allocates nothing either. */
  tally(work: StepWork, times: number, seconds: Record<Bound, number>): void
}
