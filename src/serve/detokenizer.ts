/**
 * Turns tokens into text one by one. A token can be a part of a character: it gives no text until the character is whole, or until it
 * is plain that it never will be (UTF-8 has four bytes at most).
 */
export interface Detokenizer {
  push(token: number): string
  /** What is still held back. */
  end(): string
}

const LONGEST_CHARACTER = 4
/** How far back a tokenizer looks to decide whether a space is due. */
const LOOK_BACK = 4

export function createDetokenizer(
  detokenize: (tokens: readonly number[], before: readonly number[]) => string,
  prompt: readonly number[],
): Detokenizer {
  let before = prompt.slice(-LOOK_BACK)
  let held: number[] = []

  function release(text: string): string {
    before = [...before, ...held].slice(-LOOK_BACK)
    held = []
    return text
  }
  return {
    push(token) {
      held.push(token)
      const text = detokenize(held, before)
      return text.endsWith('\uFFFD') && held.length < LONGEST_CHARACTER ? '' : release(text)
    },
    end: () => (held.length === 0 ? '' : release(detokenize(held, before))),
  }
}
