import type { CountedPrompt } from '../target/prompt-length.ts'

/** Words for a length in tokens. */
export interface WordCount {
  /** Of a whole prompt, the template around it counted in; at least one. */
  prompt(tokens: number): number
  /** Of a text inside a prompt. */
  part(tokens: number): number
}

/** Two counts closer together than this say more about the words drawn than about words in general. */
const LEAST_SPAN = 8

/**
 * By the line tokens = overhead + perWord × words through the shortest and the longest prompt that were counted: what they are apart by
 * is what makes the slope exact. With one count, or several of one length, a word is taken for a token; without any, so is the template
 * for nothing.
 */
export function createWordCount(counted: readonly CountedPrompt[]): WordCount {
  const sorted = [...counted].sort((a, b) => a.words - b.words)
  const [shortest, longest] = [sorted[0], sorted.at(-1)]
  if (shortest === undefined || longest === undefined) return { prompt: atLeastOne, part: atLeastOne }
  const span = longest.words - shortest.words
  const slope = span < LEAST_SPAN ? 1 : (longest.tokens - shortest.tokens) / span
  const perWord = slope > 0 ? slope : 1
  return {
    prompt: (tokens) => atLeastOne(longest.words + (tokens - longest.tokens) / perWord),
    part: (tokens) => atLeastOne(tokens / perWord),
  }
}

const atLeastOne = (words: number): number => Math.max(1, Math.round(words))
