import { createRandom, type Random } from '../../core/index.ts'
import { WORDS } from './vocabulary.ts'

export interface Prompts {
  /** A text of so many words (at least one) that no earlier one begins like. */
  next(words: number): string
}

/** Words of the text that prompts are cut from, at least; where it is made it is four times as long as the prompt at hand … */
const TEXT_WORDS = 2 ** 17
/** … but no longer than this: a prompt of a million words goes round in it, and is there within a second. */
const MOST_TEXT_WORDS = 2 ** 20
/** The words at the front, by which prompts differ. */
const HEAD = 3

/** A long random text that any run of its words can be cut from at once: a prompt is made on the way of a measured request. */
interface Text {
  readonly words: number
  /** So many words from this one on; past its end the text goes on with its beginning. */
  cut(from: number, count: number): string
}

function createText(random: Random, words: number): Text {
  const starts = new Uint32Array(words + 1)
  const pieces: string[] = []
  for (let i = 0; i < words; i++) {
    const word = WORDS[random.below(WORDS.length)] ?? ''
    pieces.push(word)
    starts[i + 1] = (starts[i] ?? 0) + word.length + 1
  }
  const text = pieces.join(' ')
  const part = (from: number, to: number): string => text.slice(starts[from], (starts[to] ?? 0) - 1)
  const cut = (from: number, count: number): string =>
    from + count <= words ? part(from, from + count) : `${part(from, words)} ${cut(0, from + count - words)}`
  return { words, cut }
}

/** The list in an order that the seed shuffles: the digits of a number written in words. */
function createDigits(random: Random): (value: number) => string {
  const order = [...WORDS]
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const swapped = order[i] ?? ''
    order[i] = order[j] ?? ''
    order[j] = swapped
  }
  return (value) => order[value % order.length] ?? ''
}

/**
 * Random texts, none of which shares its beginning with another: a server's prefix cache must not be measured by accident. The first
 * words count through the list like digits (in an order that the seed shuffles), so that prompts within 512 of each other differ from
 * the first token on, and no two of the first 512 cubed begin with the same three words. The same seed gives the same prompts.
 */
export function createPrompts(seed: number | string): Prompts {
  const random = createRandom(seed)
  const digit = createDigits(random)
  const size = WORDS.length
  let text: Text | undefined
  let longest = 0
  let made = 0
  return {
    next(words) {
      if (text === undefined || (words > longest && text.words < MOST_TEXT_WORDS)) {
        // Twice as long as it need be after the first: lengths that grow little by little must not make a text each.
        longest = Math.max(text === undefined ? words : 2 * words, TEXT_WORDS / 4)
        text = createText(random, Math.min(4 * longest, MOST_TEXT_WORDS))
      }
      const high = Math.floor(made / size)
      const head = [digit(made), digit(high + 171), digit(Math.floor(high / size) + 341)]
      made++
      if (words <= HEAD) return head.slice(0, Math.max(1, words)).join(' ')
      const count = words - HEAD
      const from = random.below(count < text.words ? text.words - count : text.words)
      return `${head.join(' ')} ${text.cut(from, count)}`
    },
  }
}

/**
 * The text of a number, in so many words (at least one): the same number always begins alike, so that the shorter text of it is the
 * beginning of the longer, and no two numbers begin with the same words, three or as many as the number has digits. The same seed gives
 * the same texts.
 */
export function createNumberedTexts(seed: number | string): (id: number, words: number) => string {
  const random = createRandom(seed)
  const digit = createDigits(random)
  const size = WORDS.length
  let text: Text | undefined
  const headOf = (id: number): string[] => {
    const head: string[] = []
    for (let rest = id; head.length < HEAD || rest > 0; rest = Math.floor(rest / size)) head.push(digit(rest))
    return head
  }
  return (id, words) => {
    const head = headOf(id)
    if (words <= head.length) return head.slice(0, Math.max(1, words)).join(' ')
    text ??= createText(random, TEXT_WORDS)
    const from = createRandom(`${seed}/${id}`).below(text.words)
    return `${head.join(' ')} ${text.cut(from, words - head.length)}`
  }
}
