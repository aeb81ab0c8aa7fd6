import { createRandom, drawLength, type LengthPair } from '../../core/index.ts'
import { createNumberedTexts, createPrompts } from './prompts.ts'
import type { SyntheticSource } from './source.ts'
import type { WordCount } from './word-count.ts'

/** A text of plain words, and the lengths that it and its answer are to have. */
export interface Said extends LengthPair {
  readonly text: string
}

/** Random words in the lengths asked for. */
export interface Speaker {
  /** A whole prompt: none begins like another, but where a shared beginning was asked for. */
  open(): Said
  /** What is said after an answer, in a conversation; `template`: tokens that the server puts around it. */
  goOn(template: number): Said
}

/** Past the shared beginning, words in which prompts still differ. */
const LEAST_OWN_WORDS = 3

export function createSpeaker({ source, words, seed }: SpeakerTask): Speaker {
  const prompts = createPrompts(seed)
  const lengths = createLengths(source, seed)
  const shared = source.prefix && createPrefixes(source.prefix, seed)
  return {
    open() {
      const pair = lengths()
      const count = words.prompt(pair.inputTokens)
      const inPrefix = shared === undefined ? 0 : Math.min(shared.share(count), count - LEAST_OWN_WORDS)
      if (shared === undefined || inPrefix < 1) return { ...pair, text: prompts.next(count) }
      return { ...pair, text: `${shared.next(inPrefix)} ${prompts.next(count - inPrefix)}` }
    },
    goOn(template) {
      const pair = lengths()
      return { ...pair, text: prompts.next(words.part(pair.inputTokens - template)) }
    },
  }
}

interface SpeakerTask {
  readonly source: SyntheticSource
  readonly words: WordCount
  readonly seed: string
}

function createLengths({ pairs, input, output }: SyntheticSource, seed: string): () => LengthPair {
  const random = createRandom(`${seed}/lengths`)
  if (pairs === undefined) {
    return () => ({ inputTokens: drawLength(input, random), outputTokens: drawLength(output, random) })
  }
  return () => pairs[random.below(pairs.length)] ?? { inputTokens: 1, outputTokens: 1 }
}

/** Prompts of several lengths share as much of one beginning as the shorter of them has. */
function createPrefixes({ share, count }: { readonly share: number; readonly count: number }, seed: string) {
  const texts = createNumberedTexts(`${seed}/prefixes`)
  const random = createRandom(`${seed}/which`)
  return {
    share: (words: number): number => Math.round(share * words),
    next: (words: number): string => texts(random.below(count), words),
  }
}
