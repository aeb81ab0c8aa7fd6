import type { ServerResponse } from 'node:http'
import { type Answer, type AnswerOptions, sendJson, type Usage, writeChunk } from './answer.ts'
import type { FinishReason } from './engine.ts'
import { broken, faultBody } from './fault.ts'

type Fields = Readonly<Record<string, unknown>>

/** A text as the API nests it: a part in the content of a message, which is the one item of the output. */
const partOf = (text: string): Fields => ({ type: 'output_text', text, annotations: [] })

const itemOf = (id: string, status: string, content: readonly Fields[]): Fields => ({
  id,
  type: 'message',
  role: 'assistant',
  status,
  content,
})

/** What the API calls a response; what follows from its state stands in `more`. */
const responseOf = ({ id, model, createdS }: AnswerOptions, status: string, more: Fields): Fields => ({
  id,
  object: 'response',
  created_at: createdS,
  status,
  model,
  error: null,
  incomplete_details: null,
  ...more,
})

/** An answer that reached its limit is incomplete. */
function finished(options: AnswerOptions, messageId: string, text: string, reason: FinishReason, usage: Usage): Fields {
  const status = reason === 'length' ? 'incomplete' : 'completed'
  const { promptTokens, completionTokens } = usage
  return responseOf(options, status, {
    output: [itemOf(messageId, status, [partOf(text)])],
    ...(reason === 'length' && { incomplete_details: { reason: 'max_output_tokens' } }),
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: promptTokens + completionTokens,
    },
  })
}

const messageIdOf = ({ id }: AnswerOptions): string => id.replace(/^resp/, 'msg')

/** A stream of the Responses API: named events, numbered, the text in deltas and once more as a whole, and the response at both ends. */
export function createStreamedResponse(response: ServerResponse, options: AnswerOptions): Answer {
  const messageId = messageIdOf(options)
  const inItem = { item_id: messageId, output_index: 0, content_index: 0 }
  let sequence = 0
  let text = ''
  const event = (type: string, fields: Fields): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`
  // All but the number and the text of a token is the same in each delta, so it is put together once.
  const delta = { ...inItem, delta: '§', logprobs: [], sequence_number: '§' }
  const [before, between, after] = event('response.output_text.delta', delta).split('"§"') as [string, string, string]
  sequence = 0

  return {
    open() {
      const empty = { response: responseOf(options, 'in_progress', { output: [], usage: null }) }
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
      response.write(
        event('response.created', empty) +
          event('response.in_progress', empty) +
          event('response.output_item.added', { output_index: 0, item: itemOf(messageId, 'in_progress', []) }) +
          event('response.content_part.added', { ...inItem, part: partOf('') }),
      )
    },
    token(more) {
      text += more
      writeChunk(response, `${before}${sequence++}${between}${JSON.stringify(more)}${after}`)
    },
    end(reason, usage) {
      const whole = finished(options, messageId, text, reason, usage)
      const item = itemOf(messageId, String(whole.status), [partOf(text)])
      response.end(
        event('response.output_text.done', { ...inItem, text }) +
          event('response.content_part.done', { ...inItem, part: partOf(text) }) +
          event('response.output_item.done', { output_index: 0, item }) +
          event(`response.${whole.status}`, { response: whole }),
      )
    },
    fail(message) {
      const error = { code: 'server_error', message }
      response.end(event('response.failed', { response: responseOf(options, 'failed', { output: [], error }) }))
    },
  }
}

export function createWholeResponse(response: ServerResponse, options: AnswerOptions): Answer {
  let text = ''
  return {
    open() {},
    token(more) {
      text += more
    },
    end: (reason, usage) =>
      sendJson(response, 200, JSON.stringify(finished(options, messageIdOf(options), text, reason, usage))),
    fail: (message) => sendJson(response, 500, faultBody(broken(message))),
  }
}
