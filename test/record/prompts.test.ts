import { describe, expect, it } from 'vitest'
import { parsePrompts } from '../../src/record/index.ts'
import { faultOf } from './fault.ts'

const lines = (entries: readonly unknown[]): string[] => entries.map((entry) => JSON.stringify(entry))
const messages = [{ role: 'user', content: 'hi' }]
const body = { model: 'other', messages, temperature: 0.2 }
const talk = {
  id: 'x',
  conversations: [
    { from: 'system', value: 'be short' },
    { from: 'human', value: 'one' },
    { from: 'gpt', value: 'first answer' },
    { from: 'human', value: 'two' },
  ],
}
const entries = [{ prompt: 'a "b"' }, { messages }, body, { custom_id: '7', method: 'POST', url: '/v1', body }, talk]
const prompts = [
  { kind: 'text', text: 'a "b"' },
  { kind: 'messages', messages },
  { kind: 'body', body },
  { kind: 'body', body },
  { kind: 'talk', system: 'be short', says: ['one', 'two'] },
]

describe('a file of prompts', () => {
  it('may hold prompts, messages, bodies, batch lines and conversations, in its order', () => {
    expect(parsePrompts([...lines(entries), ''])).toEqual({ prompts, silent: 0 })
  })

  it('may be one JSON list, over several lines', () => {
    expect(parsePrompts(JSON.stringify(entries, null, 2).split('\n'))).toEqual({ prompts, silent: 0 })
  })

  it('is without the conversations in which the user says nothing, and their number is told', () => {
    const silent = [{ conversations: [] }, { conversations: [{ from: 'gpt', value: 'hello' }] }]
    expect(parsePrompts(lines([...silent, talk]))).toEqual({ prompts: prompts.slice(4), silent: 2 })
  })

  it('takes a body for Completions or Responses as it is', () => {
    const bodies = [{ prompt: [1, 2], max_tokens: 4 }, { input: 'hi' }]
    expect(parsePrompts(lines(bodies)).prompts).toEqual(bodies.map((each) => ({ kind: 'body', body: each })))
  })
})

describe('refused', () => {
  it.each<[string, readonly string[]]>([
    ['the file: it has no prompt', []],
    ['the file: it has no prompt', lines([{ conversations: [] }])],
    ['the file: it has no prompt', ['[]']],
    ['the file: it begins as a JSON list and is none', ['[{"prompt":"a"},']],
    ['entry 2: it is not an object', ['[{"prompt":"a"}, 5]']],
    ['line 2: it is not JSON', [...lines([{ prompt: 'a' }]), 'hello']],
    ['line 1: it is not an object', ['"hello"']],
    ['line 1: it has no prompt, messages, input or conversations, but "promt"', lines([{ promt: 'a' }])],
    ['line 1: it has no prompt, messages, input or conversations.', lines([{}])],
    ['line 1, prompt: "" is no text', lines([{ prompt: '' }])],
    ['line 1, prompt: ["a"] is no text', lines([{ prompt: ['a'] }])],
    ['line 1, messages: [] is no list of messages', lines([{ messages: [] }])],
    ['line 1, messages: [{"content":"x"}] is no list', lines([{ messages: [{ content: 'x' }] }])],
    ['line 1, body: 5 is no request body', lines([{ custom_id: '1', body: 5 }])],
    ['line 1, conversations: "x" is no list', lines([{ conversations: 'x' }])],
    [
      'line 1, conversations[0]: {"from":"martian","value":"x"}',
      lines([{ conversations: [{ from: 'martian', value: 'x' }] }]),
    ],
  ])('%s', (problem, given) => {
    expect(faultOf(() => parsePrompts(given))).toMatch(/^INVALID_WORK: The prompts file: /)
    expect(faultOf(() => parsePrompts(given))).toContain(problem)
  })

  it('with all problems at once', () => {
    expect(faultOf(() => parsePrompts(['x', ...lines([{ prompt: 5 }])]))).toMatch(/line 1: .*; line 2, prompt: 5/)
  })
})
