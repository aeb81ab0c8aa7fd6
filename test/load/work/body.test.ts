import { describe, expect, it } from 'vitest'
import { bodyOf, type Dialect, plainDialect } from '../../../src/load/target/dialect.ts'
import { createBodyWriter } from '../../../src/load/work/body.ts'

const dialects: readonly Dialect[] = [
  plainDialect('chat', 'm'),
  {
    ...plainDialect('chat', 'a "quoted" model'),
    ignoreEos: true,
    minTokens: true,
    limitField: 'max_completion_tokens',
  },
  { ...plainDialect('completions', 'm'), minTokens: true },
  plainDialect('responses', 'm'),
  plainDialect('chat', 'm', { top_k: 5, stop: ['<prompt>'] }),
]

describe.each(dialects)('a body of $endpoint, as $limitField', (dialect) => {
  it('of plain words is the one that the dialect makes, whatever was written before', () => {
    const writer = createBodyWriter(dialect)
    for (const outputTokens of [5, 5, 700, 5]) {
      expect(writer.words('some plain words', outputTokens)).toBe(bodyOf(dialect, 'some plain words', outputTokens))
    }
  })

  it('of any text too, its escapes made', () => {
    const text = 'say "hi"\n to 🦙, <prompt>'
    expect(JSON.parse(createBodyWriter(dialect).text(text, 9))).toEqual(JSON.parse(bodyOf(dialect, text, 9)))
  })

  it('without a length says nothing of where to end', () => {
    const { extraBody, model } = dialect
    const body = JSON.parse(createBodyWriter(dialect).text('hi')) as Record<string, unknown>
    const about = Object.keys(body).filter((key) => /max_|min_|ignore/.test(key))
    expect(about).toEqual([])
    expect(body).toMatchObject({ model, stream: true, ...extraBody })
  })
})
