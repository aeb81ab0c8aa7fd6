import { describe, expect, it } from 'vitest'
import { isLength, wordsFor } from '../../../src/load/target/prompt-length.ts'
import { createNumberedTexts, createPrompts } from '../../../src/load/work/prompts.ts'

const take = (seed: number, count: number, words: number): string[] => {
  const prompts = createPrompts(seed)
  return Array.from({ length: count }, () => prompts.next(words))
}

describe('prompts', () => {
  it('hold as many words as asked for', () => {
    for (const words of [1, 2, 3, 4, 512])
      expect(take(1, 3, words).every((text) => text.split(' ').length === words)).toBe(true)
  })

  it('are repeated by a seed, and by no other', () => {
    expect(take(7, 50, 20)).toEqual(take(7, 50, 20))
    expect(take(7, 50, 20)).not.toEqual(take(8, 50, 20))
  })

  it('differ from the first word on within 512 of each other', () => {
    const firsts = take(3, 1024, 4).map((text) => text.split(' ')[0])
    expect(new Set(firsts.slice(0, 512)).size).toBe(512)
    expect(new Set(firsts.slice(512)).size).toBe(512)
  })

  it('never begin with the same three words', () => {
    const beginnings = take(3, 600_000, 3)
    expect(new Set(beginnings).size).toBe(beginnings.length)
  })
})

describe('a prompt as long as no other', () => {
  it('has all its words, and begins like none', () => {
    const prompts = createPrompts(5)
    const long = [prompts.next(10), prompts.next(300_000), prompts.next(1_100_000)]
    expect(long.map((text) => text.split(' ').length)).toEqual([10, 300_000, 1_100_000])
    expect(new Set(long.map((text) => text.slice(0, 20))).size).toBe(3)
  })
})

describe('the text of a number', () => {
  const texts = createNumberedTexts('7')

  it('is always the same, and the shorter the beginning of the longer', () => {
    const long = texts(12_345, 200_000)
    expect(long.split(' ')).toHaveLength(200_000)
    for (const words of [1, 2, 3, 4, 700]) {
      expect(texts(12_345, words)).toBe(long.split(' ').slice(0, words).join(' '))
      expect(createNumberedTexts('7')(12_345, words)).toBe(texts(12_345, words))
    }
    expect(createNumberedTexts('8')(12_345, 700)).not.toBe(texts(12_345, 700))
  })

  it('begins like that of no other number', () => {
    const beginnings = Array.from({ length: 300_000 }, (_, id) => texts(id, 3))
    expect(new Set(beginnings).size).toBe(beginnings.length)
    const large = [5, 5 + 512 ** 3, 5 + 2 * 512 ** 3, 2 ** 52].map((id) => texts(id, 7))
    expect(new Set(large).size).toBe(large.length)
  })
})

describe('words for a length in tokens', () => {
  const count = (words: number, overhead: number, perWord: number): number => Math.round(overhead + perWord * words)

  it.each([
    [0, 1],
    [7, 1],
    [41, 1],
    [12, 1.3],
    [5, 2.2],
    [30, 0.8],
  ])('lands within 2 % by the third count: template %d, %d tokens a word', (overhead, perWord) => {
    for (const asked of [64, 512, 8000]) {
      const counted = [{ words: 16, tokens: count(16, overhead, perWord) }]
      for (let i = 0; i < 2; i++) {
        const words = wordsFor(asked, counted)
        counted.push({ words, tokens: count(words, overhead, perWord) })
        if (isLength(counted.at(-1)!.tokens, asked)) break
      }
      expect(Math.abs(counted.at(-1)!.tokens - asked), `${asked}: ${JSON.stringify(counted)}`).toBeLessThanOrEqual(
        Math.max(1, 0.02 * asked),
      )
    }
  })

  it('needs only two counts where a word is a token', () => {
    const first = { words: 16, tokens: count(16, 25, 1) }
    expect(count(wordsFor(512, [first]), 25, 1)).toBe(512)
  })

  it('takes the asked length for words where nothing was counted, and never fewer than one', () => {
    expect(wordsFor(512, [])).toBe(512)
    expect(wordsFor(10, [{ words: 16, tokens: 80 }])).toBe(1)
  })
})
