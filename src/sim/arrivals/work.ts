import { createRandom, drawLength, type LengthPair, type Lengths } from '../../core/index.ts'
import type { PromptPart } from '../engine/sequence.ts'

/** How long requests are, and what their prompts have in common; as `measure` asks for it. */
export interface WorkPlan {
  readonly input: Lengths
  readonly output: Lengths
  /** To draw from, in place of both. */
  readonly pairs?: readonly LengthPair[]
  /** Which share of a prompt is one of so many texts that others begin with too. */
  readonly prefix?: { readonly share: number; readonly count: number }
  /** Requests of a conversation; each takes along all that was said before. 1: none is one. */
  readonly turns?: number
}

/** What is said at once, without what was said before. */
export interface Said extends LengthPair {
  /** The beginning that others have too. */
  readonly prefix?: PromptPart
}

export interface Work {
  /** A whole prompt. */
  open(): Said
  /** What is said after an answer, in a conversation. */
  goOn(): Said
}

/** Prompts must differ somewhere past a beginning that they share: in so many tokens, as `measure` lets them differ in so many words. */
const LEAST_OWN_TOKENS = 3

/** From the same seed the same lengths and beginnings in the same order as `measure` has them. */
export function createWork(plan: WorkPlan, seed: number | string, nextId: () => number): Work {
  const { pairs, input, output, prefix } = plan
  const random = createRandom(`${seed}/lengths`)
  const pair = (): LengthPair =>
    pairs === undefined
      ? { inputTokens: drawLength(input, random), outputTokens: drawLength(output, random) }
      : (pairs[random.below(pairs.length)] ?? { inputTokens: 1, outputTokens: 1 })
  if (prefix === undefined) return { open: pair, goOn: pair }
  const which = createRandom(`${seed}/which`)
  const ids = new Map<number, number>()
  const idOf = (number: number): number => {
    const id = ids.get(number) ?? nextId()
    ids.set(number, id)
    return id
  }
  return {
    open: () => {
      const lengths = pair()
      const { inputTokens } = lengths
      const tokens = Math.min(Math.round(prefix.share * inputTokens), inputTokens - LEAST_OWN_TOKENS)
      return tokens < 1 ? lengths : { ...lengths, prefix: { id: idOf(which.below(prefix.count)), tokens } }
    },
    goOn: pair,
  }
}

/** Ids of beginnings and of answers, of all lanes together: 0, 1, 2 … */
export function createIds(): () => number {
  let next = 0
  return () => next++
}
