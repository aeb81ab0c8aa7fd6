import { describe, expect, it } from 'vitest'
import { type Answer, createAnswerReader, createShapes } from '../../src/wire/index.ts'

const event = (type: string, rest: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const of = { item_id: 'i', output_index: 0 }

const added = (item: object): string => event('response.output_item.added', { output_index: 0, item })
const completed = event('response.completed', {
  response: {
    status: 'completed',
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 29,
    },
  },
})

/** A stream as a reasoning model with a tool sends it. */
const stream = [
  event('response.created', { response: { status: 'in_progress', usage: null, error: null } }),
  added({ id: 'rs', type: 'reasoning', summary: [] }),
  event('response.reasoning_text.delta', { ...of, delta: 'Hm' }),
  event('response.reasoning_text.delta', { ...of, delta: ' so' }),
  event('response.reasoning_text.done', { ...of, text: 'Hm so' }),
  added({ id: 'msg', type: 'message', role: 'assistant', content: [] }),
  event('response.output_text.delta', { ...of, delta: 'I' }),
  event('response.output_text.delta', { ...of, delta: ' look' }),
  event('response.output_text.done', { ...of, text: 'I look' }),
  added({ id: 'fc', type: 'function_call', call_id: 'c', name: 'find', arguments: '' }),
  event('response.function_call_arguments.delta', { ...of, delta: '{"a":' }),
  event('response.function_call_arguments.delta', { ...of, delta: '1}' }),
  event('response.function_call_arguments.done', { ...of, name: 'find', arguments: '{"a":1}' }),
  event('response.refusal.delta', { ...of, delta: 'No' }),
  event('response.refusal.done', { ...of, refusal: 'No' }),
  event('response.output_item.done', { item: { type: 'function_call', name: 'find', arguments: '{"a":1}' } }),
  completed,
]

function answerOf(events: readonly string[], how: { keepText: boolean; shapes?: boolean }): Answer {
  const { keepText, shapes = false } = how
  const reader = createAnswerReader({
    endpoint: 'responses',
    keepText,
    ...(shapes && { shapes: createShapes('responses') }),
  })
  for (const [i, text] of events.entries()) reader.feed(new TextEncoder().encode(text), 1000 * i)
  return reader.end('end')
}

describe('a stream of the Responses API', () => {
  it('bears a token in each delta and where a call is named, and in nothing that repeats them', () => {
    expect(answerOf(stream, { keepText: true })).toEqual({
      firstTokenUs: 2000,
      lastTokenUs: 13_000,
      events: 8,
      gapsUs: [1000, 3000, 1000, 2000, 1000, 1000, 2000],
      outputTokens: 9,
      tokenSource: 'usage',
      inputTokens: 20,
      cachedInputTokens: 8,
      finishReason: 'completed',
      text: 'I look',
      reasoningText: 'Hm so',
      otherText: 'find{"a":1}No',
    })
  })

  it('is read alike when its events are skimmed by their shape', () => {
    const twice = [...stream.slice(0, -1), ...stream]
    expect(answerOf(twice, { keepText: false, shapes: true })).toEqual(answerOf(twice, { keepText: false }))
  })

  it('does not take an item without a name for one with', () => {
    const calls = Array.from({ length: 4 }, (_, i) => added({ id: `fc${i}`, type: 'function_call', name: `f${i}` }))
    const others = [added({ id: 'm', type: 'message', name: '' }), added({ id: 'n', type: 'message', name: null })]
    const { events } = answerOf([...calls, ...others, completed], { keepText: false, shapes: true })
    expect(events).toBe(4)
  })
})

describe('text', () => {
  it('is kept of the one body for which it is asked', () => {
    const reader = createAnswerReader({ endpoint: 'responses', shapes: createShapes('responses') })
    const read = (keepText?: boolean): Answer => {
      reader.reset(keepText)
      reader.feed(new TextEncoder().encode(stream.join('')), 0)
      return reader.end('end')
    }
    const plain = read()
    expect(plain).not.toHaveProperty('text')
    expect(read(true)).toEqual({ ...plain, text: 'I look', reasoningText: 'Hm so', otherText: 'find{"a":1}No' })
    expect(read()).toEqual(plain)
  })
})
