import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Trace } from '../../../src/core/index.ts'
import { parseTrace } from '../../../src/record/index.ts'
import { bodyOf, textOf, tokensOf, workOf } from './plan.ts'

const text = readFileSync(new URL('../../fixtures/traces/mooncake-synthetic.jsonl', import.meta.url), 'utf8')
const published = parseTrace(text.split('\n'))

const blocksOf = (...prompts: readonly (readonly [number, readonly number[]])[]): Trace => ({
  rows: prompts.map(([inputTokens, blocks], atS) => ({ atS, inputTokens, outputTokens: 5, blocks })),
  blockTokens: 512,
  notes: [],
})
const textsOf = (trace: Trace, counting = { overhead: 11, perWord: 1 }): string[] => {
  const work = workOf({ source: { kind: 'trace', trace }, counting })
  return trace.rows.map((_, index) => textOf(work.next(index)))
}

describe('a trace that is played', () => {
  it.each([
    [11, 1],
    [12, 1.3],
  ])('asks for the lengths of its rows: template %d, %d tokens a word', (overhead, perWord) => {
    const counting = { overhead, perWord }
    const work = workOf({ source: { kind: 'trace', trace: published }, counting })
    for (const [index, { inputTokens = 0, outputTokens }] of published.rows.entries()) {
      const ask = work.next(index)
      expect(ask).toMatchObject({ askedInputTokens: inputTokens, askedOutputTokens: outputTokens })
      expect(bodyOf(ask).max_tokens).toBe(outputTokens)
      const off = Math.abs(tokensOf(textOf(ask), counting) - inputTokens)
      if (inputTokens > overhead + perWord)
        expect(off, String(inputTokens)).toBeLessThanOrEqual(Math.max(0.02 * inputTokens, 2))
    }
  })

  it('begins prompts alike where their blocks do, and nowhere else', () => {
    const [a = '', b = '', c = ''] = textsOf(blocksOf([1600, [1, 2, 3, 4]], [1300, [1, 2, 9]], [1300, [7, 2, 3]]))
    const words = (prompt: string, count: number): string => prompt.split(' ').slice(0, count).join(' ')
    expect(words(a, 1024)).toBe(words(b, 1024))
    expect(words(a, 1025)).not.toBe(words(b, 1025))
    expect(words(a, 1)).not.toBe(words(c, 1))
  })

  it('tells prompts apart whose last blocks differ, though hardly a word of them is left', () => {
    const texts = textsOf(blocksOf([513, [1, 2]], [513, [1, 3]], [1025, [1, 4, 5]], [1025, [1, 4, 6]]))
    expect(new Set(texts).size).toBe(4)
    expect(texts.map((each) => each.split(' ').length)).toEqual([502, 502, 1014, 1014])
  })

  it('is the same text for the same row, and other texts for rows without blocks', () => {
    const [a, b] = textsOf(blocksOf([700, [1, 2]], [700, [1, 2]]))
    expect(a).toBe(b)
    const row = { atS: 0, inputTokens: 700, outputTokens: 5 }
    const [c, d] = textsOf({ rows: [row, row], notes: [] })
    expect(c?.split(' ')[0]).not.toBe(d?.split(' ')[0])
  })

  it('sends the bodies of its rows', () => {
    const body = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 3 }
    const work = workOf({ source: { kind: 'trace', trace: { rows: [{ atS: 0, body }], notes: [] } } })
    expect(bodyOf(work.next(0))).toMatchObject({ ...body, model: 'm', stream: true })
  })
})
