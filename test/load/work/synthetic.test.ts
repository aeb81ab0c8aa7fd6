import { describe, expect, it } from 'vitest'
import { type Lengths, parseLengths } from '../../../src/core/index.ts'
import type { SyntheticSource } from '../../../src/load/work/source.ts'
import { bodyOf, textOf, tokensOf, workOf } from './plan.ts'

const lengths = (text: string): Lengths => parseLengths(text) as Lengths
const source = (more: Partial<SyntheticSource> = {}): SyntheticSource => ({
  kind: 'synthetic',
  input: lengths('511'),
  output: lengths('20'),
  turns: 1,
  ...more,
})

const asks = (given: Parameters<typeof workOf>[0], count: number) => {
  const work = workOf(given)
  return Array.from({ length: count }, () => work.next(0))
}

describe('lengths that are drawn', () => {
  it.each([
    [0, 1],
    [41, 1],
    [12, 1.3],
    [30, 0.8],
    [5, 2.2],
  ])('land within a fiftieth of what is asked: template %d, %d tokens a word', (overhead, perWord) => {
    const counting = { overhead, perWord }
    for (const input of ['uniform:100-2000', 'lognormal:800,0.6', 'normal:1000,200']) {
      for (const ask of asks({ source: source({ input: lengths(input) }), counting }, 300)) {
        const asked = ask.askedInputTokens ?? 0
        // Nothing is shorter than the template and a word.
        if (asked < overhead + perWord) continue
        const off = Math.abs(tokensOf(textOf(ask), counting) - asked)
        expect(off, `${input}: ${asked}`).toBeLessThanOrEqual(Math.max(0.02 * asked, 2))
      }
    }
  })

  it('stand in each body, as the limit of the answer', () => {
    const all = asks({ source: source({ output: lengths('uniform:5-9') }) }, 200)
    expect(new Set(all.map(({ askedOutputTokens }) => askedOutputTokens))).toEqual(new Set([5, 6, 7, 8, 9]))
    for (const ask of all) expect(bodyOf(ask).max_tokens).toBe(ask.askedOutputTokens)
  })

  it('come in the pairs of a file, each as it stands there', () => {
    const pairs = [
      { inputTokens: 100, outputTokens: 7 },
      { inputTokens: 300, outputTokens: 5 },
    ]
    const all = asks({ source: source({ pairs }) }, 100)
    const seen = all.map(({ askedInputTokens, askedOutputTokens }) => `${askedInputTokens},${askedOutputTokens}`)
    expect(new Set(seen)).toEqual(new Set(['100,7', '300,5']))
    for (const ask of all) expect(tokensOf(textOf(ask), { overhead: 11, perWord: 1 })).toBe(ask.askedInputTokens)
  })

  it('are repeated by a seed with every word, and by no other', () => {
    const drawn = { source: source({ input: lengths('lognormal:200,0.6'), prefix: { share: 0.3, count: 3 } }) }
    expect(asks(drawn, 30)).toEqual(asks(drawn, 30))
    expect(asks(drawn, 30)).not.toEqual(asks({ ...drawn, seed: '2' }, 30))
  })
})

describe('a shared beginning', () => {
  const common = (a: string, b: string): number => {
    const [left, right] = [a.split(' '), b.split(' ')]
    const end = left.findIndex((word, index) => word !== right[index])
    return end === -1 ? left.length : end
  }

  it('is the share of the prompt that was asked for, of so many texts, and the rest differs', () => {
    const all = asks({ source: source({ prefix: { share: 0.5, count: 4 } }) }, 200)
    const texts = all.map(textOf)
    expect(new Set(texts).size).toBe(texts.length)
    for (const text of texts) expect(text.split(' ')).toHaveLength(500)
    const groups = new Map<string, string[]>()
    for (const text of texts) {
      const [first = ''] = text.split(' ')
      groups.set(first, [...(groups.get(first) ?? []), text])
    }
    expect(groups.size).toBe(4)
    for (const group of groups.values()) {
      for (const [index, text] of group.slice(1).entries()) expect(common(text, group[index] ?? '')).toBe(250)
    }
  })

  it('of a shorter prompt is the beginning of that of a longer', () => {
    const drawn = { source: source({ input: lengths('uniform:100-900'), prefix: { share: 0.5, count: 1 } }) }
    const texts = asks(drawn, 50).map(textOf)
    for (const text of texts) {
      const [first = ''] = texts
      const shorter = Math.min(first.split(' ').length, text.split(' ').length)
      expect(common(first, text)).toBeGreaterThanOrEqual(Math.round(shorter / 2) - 1)
    }
  })

  it('is not there where none was asked for', () => {
    const texts = asks({ source: source() }, 200).map(textOf)
    expect(new Set(texts.map((text) => text.split(' ')[0])).size).toBe(200)
  })
})
