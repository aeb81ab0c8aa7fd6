import { describe, expect, it } from 'vitest'
import type { OwnPrompt } from '../../../src/core/index.ts'
import { bodyOf, workOf } from './plan.ts'

const messages = [{ role: 'user', content: [{ type: 'text', text: 'look' }] }]
const asked = (
  prompts: readonly OwnPrompt[],
  count = prompts.length,
  endpoint: 'chat' | 'completions' | 'responses' = 'chat',
) => {
  const work = workOf({ source: { kind: 'own', prompts, output: { kind: 'fixed', tokens: 30 }, turns: 1 }, endpoint })
  return Array.from({ length: count }, () => work.next(0))
}

describe('own prompts', () => {
  it('are asked as they stand, in their order, from the first again at the end', () => {
    const texts = ['say "hi"\n', 'ünïcode 🦙', 'three'].map((text) => ({ kind: 'text', text }) as const)
    const contents = asked(texts, 4).map((ask) => (bodyOf(ask).messages as { content: string }[])[0]?.content)
    expect(contents).toEqual(['say "hi"\n', 'ünïcode 🦙', 'three', 'say "hi"\n'])
  })

  it('may be messages with parts', () => {
    expect(asked([{ kind: 'messages', messages }]).map(bodyOf)).toEqual([
      {
        model: 'm',
        messages,
        max_tokens: 30,
        ignore_eos: true,
        stream: true,
        stream_options: { include_usage: true },
      },
    ])
  })

  it('get the answer’s length that is asked for', () => {
    const [ask] = asked([{ kind: 'text', text: 'a' }])
    expect(ask?.askedOutputTokens).toBe(30)
    expect(ask?.askedInputTokens).toBeUndefined()
  })

  it('stand where the endpoint has them', () => {
    const text: OwnPrompt = { kind: 'text', text: 'a' }
    expect(asked([text], 1, 'completions').map(bodyOf)).toMatchObject([{ prompt: 'a', max_tokens: 30 }])
    expect(asked([text], 1, 'responses').map(bodyOf)).toMatchObject([{ input: 'a', max_output_tokens: 30 }])
  })
})

describe('whole bodies', () => {
  it('are sent as they are but for the model and how the answer is streamed', () => {
    const body = { model: 'other', messages, max_tokens: 9, temperature: 0.3, stop: ['x'], stream: false }
    const [ask] = asked([{ kind: 'body', body }])
    expect(ask && bodyOf(ask)).toEqual({ ...body, model: 'm', stream: true, stream_options: { include_usage: true } })
    expect(ask?.askedOutputTokens).toBe(9)
  })
})
