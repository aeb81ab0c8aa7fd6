import { WORDS } from './words.ts'

/**
 * The vocabulary of the random-weight model: a word, with the space before it, is one token; what is no such word is spelt in bytes.
 * The tokenizer is the one of Llama 3, which takes a word whole where it is in the vocabulary (no merges are needed), and writes bytes
 * as GPT-2 does.
 */
export interface Vocabulary {
  readonly tokens: readonly string[]
  /** ggml's token types: 1 normal, 3 control, 5 unused. */
  readonly types: readonly number[]
  readonly bos: number
  readonly eos: number
  /** The words with their space, [from, to): all that the model ever says. */
  readonly said: readonly [number, number]
}

const CONTROL = ['<|begin|>', '<|end|>', '<|system|>', '<|user|>', '<|assistant|>'] as const
const MULTIPLE = 64

export const CHAT_TEMPLATE: string =
  "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"

export function createVocabulary(): Vocabulary {
  const bytes = Array.from({ length: 256 }, (_, byte) => byteCharacter(byte))
  const space = byteCharacter(0x20)
  const capital = (word: string): string => (word[0] ?? '').toUpperCase() + word.slice(1)
  const said = WORDS.map((word) => space + word)
  // At the start of a text or a line a word has no space before it.
  const bare = [...WORDS, ...WORDS.map(capital)].filter((word) => word.length > 1)
  const normal = [...bytes, ...said, ...bare]
  const used = CONTROL.length + normal.length
  // Matrix kernels work on groups of rows.
  const unused = Array.from({ length: -used & (MULTIPLE - 1) }, (_, index) => `<|unused-${index}|>`)
  const first = CONTROL.length + bytes.length
  return {
    tokens: [...CONTROL, ...normal, ...unused],
    types: [...CONTROL.map(() => 3), ...normal.map(() => 1), ...unused.map(() => 5)],
    bos: 0,
    eos: 1,
    said: [first, first + said.length],
  }
}

/** GPT-2's printable stand-in for a byte: itself where it is a visible Latin-1 character, else the next one from U+0100 on. */
function byteCharacter(byte: number): string {
  const visible = (code: number): boolean =>
    (code >= 0x21 && code <= 0x7e) || (code >= 0xa1 && code <= 0xff && code !== 0xad)
  if (visible(byte)) return String.fromCodePoint(byte)
  let hidden = 0
  for (let code = 0; code < byte; code++) if (!visible(code)) hidden += 1
  return String.fromCodePoint(0x100 + hidden)
}
