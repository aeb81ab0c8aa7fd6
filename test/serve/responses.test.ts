import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseLaw } from '../../src/model/index.ts'
import type { Engine } from '../../src/serve/engine.ts'
import { createSimulatedEngine, type RunningServer, startServer } from '../../src/serve/index.ts'
import { createAnswerReader } from '../../src/wire/index.ts'
import { post } from './client.ts'

let engine: Engine
let server: RunningServer
beforeAll(async () => {
  engine = createSimulatedEngine({ law: parseLaw('a=1ms,b=0ms'), model: 'toy', answerTokens: 5 })
  server = await startServer({ engine })
})
afterAll(() => server.close())

const ask = (body: object): Promise<Response> => post(server.url, '/responses', { input: 'tell me a story', ...body })

interface Event {
  readonly type: string
  readonly sequence_number: number
  readonly delta?: string
  readonly text?: string
  readonly response?: { readonly status: string; readonly usage: unknown; readonly incomplete_details: unknown }
}

interface Whole {
  readonly usage: { readonly input_tokens: number; readonly total_tokens: number }
}

/** Each event, under the name that its line gives. */
async function events(body: object): Promise<readonly Event[]> {
  const text = await (await ask({ ...body, stream: true })).text()
  return text
    .trimEnd()
    .split('\n\n')
    .map((block) => {
      const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      const parsed = JSON.parse(data) as Event
      expect(parsed.type).toBe(name)
      return parsed
    })
}

describe('a streamed response', () => {
  test('opens, brings one delta a token, repeats the whole and ends with its usage', async () => {
    const all = await events({ max_output_tokens: 3 })
    expect(all.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      ...Array(3).fill('output_text.delta'),
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'incomplete',
    ])
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, index) => index))
    const said = all.flatMap(({ delta = '' }) => delta).join('')
    expect(said.split(' ')).toHaveLength(3)
    expect(all.find(({ type }) => type === 'response.output_text.done')?.text).toBe(said)
    expect(all.at(-1)?.response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 3, input_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    })
  })

  test('is completed where the model ends it', async () => {
    const last = (await events({})).at(-1)
    expect(last).toMatchObject({
      type: 'response.completed',
      response: { status: 'completed', incomplete_details: null },
    })
    expect(last?.response?.usage).toMatchObject({ output_tokens: 5 })
  })

  test('is read by the reader of the dialect', async () => {
    const reader = createAnswerReader({ endpoint: 'responses', keepText: true })
    const bytes = new Uint8Array(await (await ask({ stream: true, max_output_tokens: 4 })).arrayBuffer())
    reader.feed(bytes, 0)
    expect(reader.isOver()).toBe(true)
    const { fault, ...answer } = reader.end('end')
    expect(fault).toBeUndefined()
    expect(answer).toMatchObject({
      events: 4,
      outputTokens: 4,
      tokenSource: 'usage',
      finishReason: 'max_output_tokens',
    })
    expect(answer.text?.split(' ')).toHaveLength(4)
  })
})

describe('a whole response', () => {
  test('holds one message and the usage', async () => {
    const response = await ask({ max_output_tokens: 4, seed: 1 })
    expect(response.status).toBe(200)
    const body = (await response.json()) as Whole
    expect(body).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response',
      status: 'incomplete',
      model: 'toy',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: expect.any(String) }] }],
      usage: { output_tokens: 4 },
    })
    expect(body.usage.total_tokens).toBe(body.usage.input_tokens + 4)
  })
})

describe('the input', () => {
  const inputTokens = async (body: object): Promise<number> =>
    ((await (await ask({ max_output_tokens: 1, ...body })).json()) as Whole).usage.input_tokens

  test('is a text, or messages with texts or text parts; instructions go before it', async () => {
    const plain = await inputTokens({})
    expect(await inputTokens({ input: [{ role: 'user', content: 'tell me a story' }] })).toBe(plain)
    const parts = [{ type: 'input_text', text: 'tell me a story' }]
    expect(await inputTokens({ input: [{ type: 'message', role: 'user', content: parts }] })).toBe(plain)
    expect(await inputTokens({ instructions: 'be brief' })).toBeGreaterThan(plain)
  })

  test.each([
    ['no input', { input: undefined }, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['a part that is no text', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content'],
    ['instructions that are no text', { instructions: 3 }, 'instructions'],
    ['an answer to go on from', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a format', { text: { format: { type: 'json_object' } } }, 'text.format'],
    ['no token', { max_output_tokens: 0 }, 'max_output_tokens'],
  ])('is refused with %s', async (_, body, param) => {
    const response = await ask(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param } })
  })

  test('takes what asks for nothing', async () => {
    expect((await ask({ store: false, background: false, text: { format: { type: 'text' } }, tools: [] })).status).toBe(
      200,
    )
  })
})
