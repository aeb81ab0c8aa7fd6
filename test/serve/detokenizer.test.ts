import { describe, expect, test } from 'vitest'
import { createDetokenizer } from '../../src/serve/detokenizer.ts'

/** A tokenizer whose tokens are bytes, and which shows what it was given to look back on. */
function bytes() {
  const looked: number[][] = []
  const detokenize = (tokens: readonly number[], before: readonly number[]): string => {
    looked.push([...before])
    return Buffer.from(tokens).toString()
  }
  return { detokenize, looked }
}

const pushAll = (text: string | Uint8Array): string[] => {
  const detokenizer = createDetokenizer(bytes().detokenize, [])
  return [...[...Buffer.from(text)].map((byte) => detokenizer.push(byte)), detokenizer.end()]
}

describe('text comes as soon as its characters are whole', () => {
  test.each([
    ['plain', ['p', 'l', 'a', 'i', 'n', '']],
    ['ü!', ['', 'ü', '!', '']],
    ['€', ['', '', '€', '']],
    ['😀a', ['', '', '', '😀', 'a', '']],
  ])('%s', (text, pieces) => {
    expect(pushAll(text)).toEqual(pieces)
  })

  test('what never becomes a character is given up after four bytes, or at the end', () => {
    expect(pushAll(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x61))).toEqual(['', '', '', '\uFFFD'.repeat(4), 'a', ''])
    expect(pushAll(Uint8Array.of(0x61, 0xe2, 0x82))).toEqual(['a', '', '', '\uFFFD'])
  })
})

test('the tokenizer sees the last four tokens before, of the prompt at first', () => {
  const { detokenize, looked } = bytes()
  const detokenizer = createDetokenizer(detokenize, [1, 2, 3, 4, 5, 6])
  for (const token of [97, 0xc3, 0xbc, 98]) detokenizer.push(token)
  expect(looked).toEqual([
    [3, 4, 5, 6],
    [4, 5, 6, 97],
    [4, 5, 6, 97],
    [6, 97, 0xc3, 0xbc],
  ])
})
