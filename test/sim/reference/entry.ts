import type { Sequence } from '../../../src/sim/engine/sequence.ts'
import type { Block } from './blocks.ts'

/** A request in the engine. What a step brings is counted here when the step is decided; its instant is told when it ends. */
export interface Entry {
  readonly sequence: Sequence
  /** Keys of its blocks, from the first on. */
  readonly keyOf: (block: number) => string
  computed: number
  made: number
  blocks: Block[]
  isReading: boolean
  admittedS: number | undefined
  cachedTokens: number
  preemptions: number
  recomputedTokens: number
  /** The most tokens that were computed before a preemption. */
  reached: number
  /** Ends of the steps that made its tokens, and the number of the last of them. */
  readonly tokenS: number[]
  lastStep: number
}

export function createEntry(sequence: Sequence, blockTokens: number): Entry {
  return {
    sequence,
    keyOf: keysOf(sequence, blockTokens),
    computed: 0,
    made: 0,
    blocks: [],
    isReading: true,
    admittedS: undefined,
    cachedTokens: 0,
    preemptions: 0,
    recomputedTokens: 0,
    reached: 0,
    tokenS: [],
    lastStep: -1,
  }
}

/** What must be in the cache before its next token can be made. */
export const targetOf = ({ sequence, made }: Entry): number => sequence.promptTokens + made
/** Its last token is on its way. */
export const isEnding = ({ sequence, made }: Entry): boolean => made === sequence.outputTokens
/** Another pool read its prompt, and it has not been here before. */
export const isHandedOver = ({ sequence, admittedS }: Entry): boolean =>
  sequence.isPrefilled === true && admittedS === undefined
export const byPriority = (a: Sequence, b: Sequence): number => a.priority - b.priority || a.id - b.id

/** The key of each full block: by the part of the prompt that it lies in, else by what is the request's own. */
export function keysOf(sequence: Sequence, blockTokens: number): (block: number) => string {
  const keys: string[] = []
  let tokens = 0
  for (const part of sequence.parts ?? []) {
    const first = keys.length
    tokens += part.tokens
    while (keys.length < Math.floor(tokens / blockTokens)) keys.push(`${part.id}:${keys.length - first}`)
  }
  const own = sequence.ownId ?? `only ${sequence.id}`
  return (block) => keys[block] ?? `${own}:${block - keys.length}`
}
