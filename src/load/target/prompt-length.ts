/** One prompt sent and counted. */
export interface CountedPrompt {
  readonly words: number
  /** As the server counts: words and the template around them. */
  readonly tokens: number
}

/** What a template may leave over, and the least that a whole token can be off. */
const TOLERANCE = 0.02

export const isLength = (tokens: number, asked: number): boolean =>
  Math.abs(tokens - asked) <= Math.max(TOLERANCE * asked, 1)

/** Counts closer together than this say more about the words drawn than about words in general. */
const LEAST_SPAN = 8

/**
 * Words for a prompt of so many tokens, from the counts so far: tokens = overhead + perWord × words through the last two, and with one
 * count alone perWord = 1, which holds for common words in most vocabularies. At least one word.
 */
export function wordsFor(asked: number, counted: readonly CountedPrompt[]): number {
  const last = counted.at(-1)
  if (last === undefined) return asked
  const before = counted.at(-2)
  const span = before === undefined ? 0 : last.words - before.words
  const slope = before === undefined || Math.abs(span) < LEAST_SPAN ? 1 : (last.tokens - before.tokens) / span
  const perWord = slope > 0 ? slope : 1
  return Math.max(1, Math.round(last.words + (asked - last.tokens) / perWord))
}
