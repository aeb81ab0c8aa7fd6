import type { ServerResponse } from 'node:http'
import { createStreamedAnswer, createWholeAnswer } from './answer.ts'
import { type Engine, type Listener, RequestRefused, type Ticket } from './engine.ts'
import { badRequest, broken, type Fault } from './fault.ts'
import type { CompletionRequest, Endpoint } from './request.ts'
import { createStreamedResponse, createWholeResponse } from './responses-answer.ts'
import { hrtimeNs, type TruthRecord } from './truth.ts'

export interface Exchange {
  readonly endpoint: Endpoint
  readonly requestId: string
  readonly receivedNs: number
  readonly request: CompletionRequest
  readonly response: ServerResponse
}

const ID_PREFIX: Readonly<Record<Endpoint, string>> = { chat: 'chatcmpl-', completions: 'cmpl-', responses: 'resp_' }

function creatorOf(endpoint: Endpoint, isStream: boolean): typeof createStreamedAnswer {
  if (endpoint === 'responses') return isStream ? createStreamedResponse : createWholeResponse
  return isStream ? createStreamedAnswer : createWholeAnswer
}

/** On its way, until `done`; or refused by the engine. */
export type Started = { readonly cancel: () => void } | { readonly fault: Fault }

/**
 * Runs one request on the engine and writes its answer as the tokens come. A client that goes away cancels it at once. `done` is called
 * once, when the request has left the server in whatever way.
 */
export function runExchange(engine: Engine, exchange: Exchange, done: (truth: TruthRecord) => void): Started {
  const { endpoint, requestId, receivedNs, request, response } = exchange
  const tokenNs: number[] = []
  const batches: number[] = []
  let ended = false

  const finish = (reason: TruthRecord['finish']): void => {
    ended = true
    markTokens()
    done({ requestId, receivedNs, promptTokens: ticket.promptTokens, tokenNs, batch: batches, finish: reason })
  }
  /** Tokens without a text of their own (parts of a character) share the event, and so the time, of the one that completes it. */
  const markTokens = (): void => {
    const now = hrtimeNs()
    while (tokenNs.length < batches.length) tokenNs.push(now)
  }

  const listener: Listener = {
    token(text, batch) {
      batches.push(batch)
      if (text === '') return
      markTokens()
      answer.token(text)
    },
    end(reason) {
      finish(reason)
      answer.end(reason, { promptTokens: ticket.promptTokens, completionTokens: tokenNs.length })
    },
    failed(error) {
      finish('failed')
      answer.fail(error.message)
    },
  }

  let ticket: Ticket
  try {
    ticket = engine.submit(request.engine, listener, (hrtimeNs() - receivedNs) / 1e9)
  } catch (error) {
    if (error instanceof RequestRefused) return { fault: badRequest(error.message, error.param, error.code) }
    return { fault: broken(error instanceof Error ? error.message : String(error)) }
  }
  const answer = creatorOf(endpoint, request.stream)(response, {
    endpoint,
    id: `${ID_PREFIX[endpoint]}${requestId}`,
    model: engine.model,
    createdS: Math.floor(Date.now() / 1000),
    includeUsage: request.includeUsage,
  })
  answer.open()
  const cancel = (): void => {
    if (ended) return
    ticket.cancel()
    finish('cancelled')
  }
  response.once('close', cancel)
  return { cancel }
}
