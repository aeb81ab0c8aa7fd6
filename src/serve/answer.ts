import type { ServerResponse } from 'node:http'
import type { FinishReason } from './engine.ts'
import { broken, faultBody } from './fault.ts'
import type { Endpoint } from './request.ts'

/** One answer on its way to a client, whole or streamed. */
export interface Answer {
  /** The head; for a chat stream also the chunk that bears the role. */
  open(): void
  token(text: string): void
  end(reason: FinishReason, usage: Usage): void
  /** The engine broke. */
  fail(message: string): void
}

export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface AnswerOptions {
  readonly endpoint: Endpoint
  readonly id: string
  readonly model: string
  readonly createdS: number
  /** Streams: a last chunk with the usage, and a null in every other. */
  readonly includeUsage: boolean
}

/** For chat and completions. Everything but the text of a token is the same in each event of a stream, so it is put together once. */
export function createStreamedAnswer(response: ServerResponse, options: AnswerOptions): Answer {
  const { endpoint, includeUsage } = options
  const head = commonHead(endpoint === 'chat' ? 'chat.completion.chunk' : 'text_completion', options)
  const noUsage = includeUsage ? ',"usage":null' : ''
  const event = (choice: string): string => `data: {${head},"choices":[{"index":0,${choice}}]${noUsage}}\n\n`
  const [before, after] = event(
    endpoint === 'chat'
      ? '"delta":{"content":§},"logprobs":null,"finish_reason":null'
      : '"text":§,"logprobs":null,"finish_reason":null',
  ).split('§') as [string, string]
  const empty = endpoint === 'chat' ? '"delta":{}' : '"text":""'

  return {
    open() {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
      if (endpoint === 'chat') {
        response.write(event('"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null'))
      } else {
        response.flushHeaders()
      }
    },
    token(text) {
      writeChunk(response, before + JSON.stringify(text) + after)
    },
    end(reason, usage) {
      const finish = event(`${empty},"logprobs":null,"finish_reason":"${reason}"`)
      const counted = includeUsage ? `data: {${head},"choices":[],"usage":${usageJson(usage)}}\n\n` : ''
      response.end(`${finish}${counted}data: [DONE]\n\n`)
    },
    fail(message) {
      response.end(`data: ${faultBody(broken(message))}\n\n`)
    },
  }
}

/**
 * One HTTP chunk, on its way when this returns: Node holds one back until the next tick, and the truth log would say that it was written
 * before it was. Of a socket that takes it at once it is written by hand, for Node's way leaves several times as much to be collected.
 */
export function writeChunk(response: ServerResponse, text: string): void {
  const { socket } = response
  if (socket === null || response.req.httpVersion !== '1.1' || socket.writableNeedDrain) {
    response.write(text)
    socket?.uncork()
    return
  }
  socket.uncork()
  socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}

export function sendJson(response: ServerResponse, status: number, body: string): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

export function createWholeAnswer(response: ServerResponse, options: AnswerOptions): Answer {
  const { endpoint } = options
  const head = commonHead(endpoint === 'chat' ? 'chat.completion' : 'text_completion', options)
  let text = ''
  return {
    open() {},
    token(more) {
      text += more
    },
    end(reason, usage) {
      const content = JSON.stringify(text)
      const said =
        endpoint === 'chat' ? `"message":{"role":"assistant","content":${content},"refusal":null}` : `"text":${content}`
      const choice = `{"index":0,${said},"logprobs":null,"finish_reason":"${reason}"}`
      sendJson(response, 200, `{${head},"choices":[${choice}],"usage":${usageJson(usage)}}`)
    },
    fail(message) {
      sendJson(response, 500, faultBody(broken(message)))
    },
  }
}

function commonHead(object: string, { id, createdS, model }: AnswerOptions): string {
  return JSON.stringify({ id, object, created: createdS, model }).slice(1, -1)
}

function usageJson({ promptTokens, completionTokens }: Usage): string {
  const total = promptTokens + completionTokens
  return `{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${total}}`
}
