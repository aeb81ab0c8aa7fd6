import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseLaw } from '../../src/model/index.ts'
import type { Engine } from '../../src/serve/engine.ts'
import {
  createSimulatedEngine,
  type RunningServer,
  type SimulatedOptions,
  startServer,
  type TruthRecord,
} from '../../src/serve/index.ts'
import { post, stream, until } from './client.ts'

const folder = mkdtempSync(join(tmpdir(), 'twospeed-serve-'))
const truthFile = join(folder, 'truth.jsonl')
let engine: Engine
let server: RunningServer
let url: string

const simulated = (options: Partial<SimulatedOptions> = {}): Engine =>
  createSimulatedEngine({ law: parseLaw('a=1ms,b=0ms'), model: 'toy', answerTokens: 5, ...options })

beforeAll(async () => {
  engine = simulated()
  server = await startServer({ engine, truth: truthFile })
  url = server.url
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const messages = [{ role: 'user', content: 'tell me a story' }]
const idle = (): boolean => engine.status().running === 0 && engine.status().waiting === 0

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toBe('application/json')
  const body = (await response.json()) as { error: Record<string, unknown> }
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error)).toEqual(['message', 'type', 'param', 'code'])
  return { status: response.status, ...body.error }
}

describe('chat', () => {
  test('streams the role, one chunk a token, the finish and [DONE]', async () => {
    const { events, done, status, headers } = await stream(url, '/chat/completions', { messages, max_tokens: 3 })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(done).toBe(true)
    expect(events).toHaveLength(5)
    const choices = (
      events as { choices: { delta: { role?: string; content?: string }; finish_reason: unknown }[] }[]
    ).map((event) => event.choices[0]!)
    expect(choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(choices.slice(1, 4).map(({ delta }) => delta.content)).toEqual([
      expect.stringMatching(/^[a-z]+$/),
      expect.stringMatching(/^ [a-z]+$/),
      expect.stringMatching(/^ [a-z]+$/),
    ])
    expect(choices.map(({ finish_reason }) => finish_reason)).toEqual([null, null, null, null, 'length'])
    expect(choices[4]?.delta).toEqual({})
    for (const event of events) {
      expect(event).toMatchObject({
        object: 'chat.completion.chunk',
        model: 'toy',
        id: expect.stringMatching(/^chatcmpl-/),
      })
      expect(event).not.toHaveProperty('usage')
    }
  })

  test('with include_usage each chunk has a null, and the last one the count without a choice', async () => {
    const body = { messages, max_tokens: 2, stream_options: { include_usage: true } }
    const { events } = await stream(url, '/chat/completions', body)
    const usages = (events as { usage: unknown }[]).map((event) => event.usage)
    expect(usages.slice(0, -1)).toEqual([null, null, null, null])
    expect(events.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 },
    })
  })

  test('answers whole without stream', async () => {
    const response = await post(url, '/chat/completions', { messages, model: 'toy', max_completion_tokens: 4 })
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'toy',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.stringMatching(/^([a-z]+ ){3}[a-z]+$/) },
          finish_reason: 'length',
        },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
    })
  })

  test('ends by nature, or later with ignore_eos or min_tokens', async () => {
    const count = async (more: object): Promise<unknown> => {
      const response = await post(url, '/chat/completions', { messages, max_tokens: 9, ...more })
      const { usage, choices } = (await response.json()) as {
        usage: { completion_tokens: number }
        choices: { finish_reason: string }[]
      }
      return [usage.completion_tokens, choices[0]?.finish_reason]
    }
    expect(await count({})).toEqual([5, 'stop'])
    expect(await count({ ignore_eos: true })).toEqual([9, 'length'])
    expect(await count({ min_tokens: 7 })).toEqual([7, 'stop'])
  })

  test('takes text in parts', async () => {
    const parts = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one two' },
          { type: 'text', text: ' three' },
        ],
      },
    ]
    const response = await post(url, '/chat/completions', { messages: parts, max_tokens: 1 })
    expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 10 } })
  })
})

describe('completions', () => {
  test('stream text', async () => {
    const { events, done } = await stream(url, '/completions', { prompt: 'one two', max_tokens: 2 })
    expect(done).toBe(true)
    expect(events).toHaveLength(3)
    expect(events[0]).toMatchObject({
      object: 'text_completion',
      id: expect.stringMatching(/^cmpl-/),
      choices: [{ index: 0, text: expect.stringMatching(/^[a-z]+$/), finish_reason: null }],
    })
    expect(events[2]).toMatchObject({ choices: [{ text: '', finish_reason: 'length' }] })
  })

  test.each([
    ['a text', 'one two three', 3],
    ['a list of one text', ['one two three'], 3],
    ['tokens', [7, 8, 9, 10], 4],
    ['a list of one list of tokens', [[7, 8]], 2],
  ])('take %s', async (_, prompt, promptTokens) => {
    const response = await post(url, '/completions', { prompt, max_tokens: 1 })
    expect(await response.json()).toMatchObject({
      choices: [{ text: expect.any(String) }],
      usage: { prompt_tokens: promptTokens, completion_tokens: 1 },
    })
  })
})

describe('what is refused says which field', () => {
  test.each([
    [{ n: 2 }, 'n', 'unsupported_value'],
    [{ stop: ['x'] }, 'stop', 'unsupported_parameter'],
    [{ tools: [{}] }, 'tools', 'unsupported_parameter'],
    [{ logprobs: true }, 'logprobs', 'unsupported_parameter'],
    [{ max_tokens: 0 }, 'max_tokens', 'invalid_value'],
    [{ max_tokens: 1.5 }, 'max_tokens', 'invalid_type'],
    [{ max_tokens: '5' }, 'max_tokens', 'invalid_type'],
    [{ max_completion_tokens: -1 }, 'max_completion_tokens', 'invalid_value'],
    [{ max_tokens: 3, min_tokens: 4 }, 'min_tokens', null],
    [{ temperature: 3 }, 'temperature', 'invalid_value'],
    [{ stream: 'yes' }, 'stream', 'invalid_type'],
    [{ ignore_eos: 1 }, 'ignore_eos', 'invalid_type'],
    [{ seed: 'x' }, 'seed', 'invalid_type'],
    [{ stream_options: { include_usage: true } }, 'stream_options', null],
    [{ stream: true, stream_options: true }, 'stream_options', null],
    [{ messages: [] }, 'messages', 'invalid_type'],
    [{ messages: undefined }, 'messages', 'invalid_type'],
    [{ messages: [{ role: 'tool', content: '' }] }, 'messages[0].role', 'invalid_value'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', 'invalid_type'],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 'messages[0].content', 'invalid_value'],
    [{ max_tokens: 200_000 }, 'messages', 'context_length_exceeded'],
  ])('%j', async (more, param, code) => {
    const error = await errorOf(await post(url, '/chat/completions', { messages, max_tokens: 5, ...more }))
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param, code })
    expect(idle()).toBe(true)
  })

  test.each([[''], ['{'], ['[]'], ['null']])('a body of %j', async (body) => {
    expect(await errorOf(await post(url, '/completions', body))).toMatchObject({ status: 400, param: null })
  })

  test.each([[5], [[]], [['a', 'b']], [[1, -1]], [undefined]])('a prompt of %j', async (prompt) => {
    expect(await errorOf(await post(url, '/completions', { prompt }))).toMatchObject({ status: 400, param: 'prompt' })
  })

  test('null and empty ask for nothing', async () => {
    const nothing = { stop: null, tools: [], response_format: { type: 'text' }, logprobs: false, n: 1, seed: null }
    expect((await post(url, '/chat/completions', { messages, max_tokens: 1, ...nothing })).status).toBe(200)
  })

  test('a model that is not served', async () => {
    const error = await errorOf(await post(url, '/chat/completions', { messages, model: 'gpt-9' }))
    expect(error).toMatchObject({ status: 404, param: 'model', code: 'model_not_found' })
    expect(error.message).toContain('gpt-9')
  })

  test('a path, a method, a body beyond the limit', async () => {
    expect(await errorOf(await post(url, '/embeddings', {}))).toMatchObject({ status: 404, code: 'unknown_url' })
    const get = await fetch(`${url}/completions`)
    expect(get.headers.get('allow')).toBe('POST')
    expect(await errorOf(get)).toMatchObject({ status: 405, code: 'method_not_supported' })
    expect(await errorOf(await post(url, '/completions', ' '.repeat(33 * 2 ** 20)))).toMatchObject({ status: 413 })
    expect((await fetch(`${url}/models`)).status).toBe(200)
  })
})

test('names its model, and the health of its engine', async () => {
  const list = (await (await fetch(`${url}/models`)).json()) as { data: unknown[] }
  expect(list).toMatchObject({ object: 'list', data: [{ id: 'toy', object: 'model' }] })
  expect(await (await fetch(`${url}/models/toy?x=1`)).json()).toEqual(list.data[0])
  expect(await (await fetch(url.replace(/v1$/, 'health'))).json()).toMatchObject({
    status: 'ok',
    engine: 'simulated',
    running: 0,
  })
})

describe('a client that goes away frees its sequence at once', () => {
  test.each([[true], [false]])('streaming: %s', async (streaming) => {
    const abort = new AbortController()
    const body = { messages, max_tokens: 50_000, ignore_eos: true, stream: streaming }
    const answer = post(url, '/chat/completions', body, { signal: abort.signal })
    await until(() => engine.status().running === 1)
    if (streaming) await (await answer).body?.getReader().read()
    abort.abort()
    if (!streaming) await expect(answer).rejects.toThrow()
    await until(idle)
  })

  test('also when the socket is reset in the middle of the body of the request', async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write('POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"prompt"')
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.resetAndDestroy()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await post(url, '/completions', { prompt: 'x', max_tokens: 1 })).status).toBe(200)
  })
})

describe('the truth log', () => {
  const truthOf = async (requestId: string): Promise<TruthRecord> => {
    let found: TruthRecord | undefined
    await until(() => {
      const lines = readFileSync(truthFile, 'utf8').split('\n').filter(Boolean)
      found = lines.map((line) => JSON.parse(line) as TruthRecord).find((record) => record.requestId === requestId)
      return found !== undefined
    })
    return found!
  }
  const now = (): number => Number(process.hrtime.bigint())

  test('has the times of a request by the clock that its client reads', async () => {
    const before = now()
    const headers = { 'x-request-id': 'mine' }
    const answer = await stream(url, '/chat/completions', { messages, max_tokens: 4 }, { headers })
    const after = now()
    expect(answer.headers.get('x-request-id')).toBe('mine')
    const truth = await truthOf('mine')
    expect(truth).toMatchObject({ promptTokens: 11, finish: 'length', batch: [1, 1, 1, 1] })
    expect(truth.tokenNs).toHaveLength(4)
    const times = [before, truth.receivedNs, ...truth.tokenNs, after]
    expect(times).toEqual([...times].sort((a, b) => a - b))
    const gaps = truth.tokenNs.slice(1).map((time, index) => time - truth.tokenNs[index]!)
    for (const gap of gaps) expect(gap).toBeGreaterThan(0.4e6)
  })

  test('has requests that were cancelled, and their tokens so far', async () => {
    const abort = new AbortController()
    const headers = { 'x-request-id': 'left' }
    const body = { prompt: 'x', max_tokens: 50_000, ignore_eos: true, stream: true }
    const response = await post(url, '/completions', body, { headers, signal: abort.signal })
    await response.body?.getReader().read()
    abort.abort()
    const truth = await truthOf('left')
    expect(truth.finish).toBe('cancelled')
    expect(truth.tokenNs.length).toBeGreaterThan(0)
    expect(truth.batch).toHaveLength(truth.tokenNs.length)
  })

  test('gives an id of its own to a request without one', async () => {
    const answer = await stream(url, '/completions', { prompt: 'x', max_tokens: 1 })
    const id = answer.headers.get('x-request-id') ?? ''
    expect(await truthOf(id)).toMatchObject({ requestId: id, batch: [1] })
  })

  test('that cannot be written is an error at the start', async () => {
    const start = startServer({ engine: simulated(), truth: join(folder, 'no', 'such', 'folder') })
    await expect(start).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' })
  })
})

describe('start and end', () => {
  test('a port that is taken', async () => {
    const port = Number(new URL(url).port)
    await expect(startServer({ engine: simulated(), port })).rejects.toMatchObject({ code: 'CANNOT_LISTEN' })
    await expect(startServer({ engine: simulated(), host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
    })
  })

  test('an engine that broke answers 503, and what it was at gets the error', async () => {
    const broken: Engine = {
      ...simulated(),
      submit(_request, listener) {
        setImmediate(() => listener.token('word', 1))
        setTimeout(() => listener.failed(new Error('out of memory')), 5)
        return { promptTokens: 1, cancel() {} }
      },
    }
    let failure: string | undefined
    const other = await startServer({
      engine: {
        ...broken,
        status: () => ({ running: 0, waiting: 0, steps: 0, ...(failure === undefined ? {} : { failure }) }),
      },
    })
    const { events, done } = await stream(other.url, '/completions', { prompt: 'x', max_tokens: 9 })
    expect(done).toBe(false)
    expect(events.at(-1)).toMatchObject({ error: { type: 'server_error', message: 'out of memory' } })
    expect(await errorOf(await post(other.url, '/completions', { prompt: 'x' }))).toMatchObject({ status: 500 })
    failure = 'out of memory'
    const error = await errorOf(await post(other.url, '/completions', { prompt: 'x' }))
    expect(error).toMatchObject({ status: 503, type: 'server_error' })
    await other.close()
  })

  test('closing cuts what still streams, and what was said is in the log', async () => {
    const truth = join(folder, 'closing.jsonl')
    const other = await startServer({ engine: simulated(), truth })
    const body = { prompt: 'x', max_tokens: 50_000, ignore_eos: true, stream: true }
    const reader = (await post(other.url, '/completions', body)).body?.getReader()
    await reader?.read()
    await other.close()
    await expect(
      (async () => {
        while ((await reader?.read())?.done === false);
      })(),
    ).rejects.toThrow()
    await expect(fetch(`${other.url}/models`)).rejects.toThrow()
    const [line] = readFileSync(truth, 'utf8').split('\n')
    expect(JSON.parse(line ?? '')).toMatchObject({ finish: 'cancelled', batch: expect.arrayContaining([1]) })
  })

  test('IPv6 in brackets', async () => {
    const other = await startServer({ engine: simulated(), host: '::1' }).catch(() => undefined)
    if (other === undefined) return // a machine without IPv6
    expect(other.url).toMatch(/^http:\/\/\[::1\]:\d+\/v1$/)
    expect((await fetch(`${other.url}/models`)).status).toBe(200)
    await other.close()
  })
})
