import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a test server got: the path with its query, the headers, and the body as JSON. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Readonly<Record<string, unknown>>
}

export interface FakeTarget {
  readonly url: string
  /** Every POST so far. */
  readonly asked: readonly Asked[]
  /** Paths of every GET so far. */
  readonly gets: readonly string[]
  close(): Promise<void>
}

export interface FakeBehaviour {
  readonly models?: readonly string[]
  /** How long the list of models takes. */
  readonly modelsMs?: number
  /** Answers a POST; default: `streamed()`. */
  readonly answer?: (asked: Asked, response: ServerResponse, request: IncomingMessage) => void | Promise<void>
}

/** A server in this process that behaves as a test says. */
export async function startFakeTarget({
  models = ['tiny'],
  modelsMs = 0,
  answer = streamed(),
}: FakeBehaviour = {}): Promise<FakeTarget> {
  const asked: Asked[] = []
  const gets: string[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      gets.push(request.url ?? '')
      if (modelsMs > 0) await sleep(modelsMs)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, owned_by: 'vllm' })) }))
      return
    }
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(pieces).toString()),
    }
    asked.push(one)
    await answer(one, response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    gets,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export interface Streaming {
  /** Milliseconds before the first token, and between two. */
  readonly firstMs?: number
  readonly gapMs?: number
  /** Tokens of the template around the prompt, and per word of it. */
  readonly overhead?: number
  readonly perWord?: number
  /** Where the model stops by itself, unless it is told not to. */
  readonly stopsAt?: number
  /** What keeps it from stopping. */
  readonly heeds?: 'ignore_eos' | 'min_tokens' | 'nothing'
  readonly usage?: boolean
  /** Names by which it knows the limit; it passes over the others. */
  readonly limitFields?: readonly string[]
  /** The text of each token. */
  readonly word?: string
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const promptOf = ({ body }: Asked): string => {
  const messages = (body.messages ?? []) as readonly { content: string }[]
  return messages.length === 0
    ? String(body.prompt ?? body.input)
    : messages.map(({ content }) => content.trim()).join(' ')
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export const token = (text: string): string => event({ choices: [{ index: 0, delta: { content: text } }] })

/** A well-behaved answer: as many tokens as asked for, or fewer, and their usage. */
export function streamed(how: Streaming = {}): NonNullable<FakeBehaviour['answer']> {
  const {
    firstMs = 0,
    gapMs = 0,
    overhead = 7,
    perWord = 1,
    stopsAt = Number.POSITIVE_INFINITY,
    heeds = 'ignore_eos',
    limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
    word = ' word',
  } = how
  return async (asked, response) => {
    const { body } = asked
    const isResponses = 'input' in body
    const [limit = Number.POSITIVE_INFINITY] = limitFields
      .filter((name) => name in body)
      .map((name) => Number(body[name]))
    const goesOn =
      heeds === 'ignore_eos' ? body.ignore_eos === true : heeds === 'min_tokens' && body.min_tokens === limit
    const count = goesOn ? limit : Math.min(limit, stopsAt)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    await sleep(firstMs)
    for (let i = 0; i < count && !response.destroyed; i++) {
      if (i > 0 && gapMs > 0) await sleep(gapMs)
      // One that never ends must let others have their turn.
      if (i % 64 === 63) await new Promise(setImmediate)
      response.write(isResponses ? event({ type: 'response.output_text.delta', delta: word }) : token(word))
    }
    const prompt = Math.round(overhead + perWord * promptOf(asked).split(' ').length)
    if (isResponses) {
      const usage = how.usage === false ? null : { input_tokens: prompt, output_tokens: count }
      response.end(event({ type: 'response.completed', response: { status: 'completed', usage } }))
      return
    }
    response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }))
    const wanted = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true
    if (how.usage !== false && wanted) {
      response.write(event({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: count } }))
    }
    response.end('data: [DONE]\n\n')
  }
}

/** An OpenAI error body. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }))
}
