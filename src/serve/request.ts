import type { Endpoint } from '../wire/index.ts'
import type { ChatMessage, EngineRequest, Prompt } from './engine.ts'
import { badRequest, type Fault, notFound } from './fault.ts'

export type { Endpoint } from '../wire/index.ts'

/** A request body, read and checked. */
export interface CompletionRequest {
  readonly engine: EngineRequest
  readonly stream: boolean
  readonly includeUsage: boolean
}

type Body = Readonly<Record<string, unknown>>
type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault }

/** What would change the answer and is not built: refused, for an answer that ignores it would be wrong. */
const UNSUPPORTED = [
  'stop',
  'tools',
  'functions',
  'logprobs',
  'top_logprobs',
  'response_format',
  'suffix',
  'echo',
  'previous_response_id',
  'conversation',
  'background',
] as const

class Refusal extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

function refuse(param: string, message: string, code: string | null = null): never {
  throw new Refusal(badRequest(message, param, code))
}

export function parseRequest(endpoint: Endpoint, text: string, model: string): Parsed<CompletionRequest> {
  try {
    return { ok: true, value: read(endpoint, parseJson(text), model) }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, fault: error.fault }
    throw error
  }
}

function parseJson(text: string): Body {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal(badRequest('The body is not JSON.'))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(badRequest('The body is not a JSON object.'))
  }
  return value as Body
}

function read(endpoint: Endpoint, body: Body, model: string): CompletionRequest {
  const asked = body.model ?? model
  if (asked !== model) {
    throw new Refusal(
      notFound(
        `The model ${JSON.stringify(asked)} does not exist; this server has "${model}".`,
        'model',
        'model_not_found',
      ),
    )
  }
  for (const name of ['n', 'best_of'] as const) {
    if ((body[name] ?? 1) !== 1) refuse(name, 'This server gives one choice a request.', 'unsupported_value')
  }
  for (const name of UNSUPPORTED) {
    if (isSet(body[name])) refuse(name, `This server does not know \`${name}\`.`, 'unsupported_parameter')
  }
  if (endpoint === 'responses' && isSet((body.text as Body | undefined)?.format)) {
    refuse('text.format', 'This server gives plain text only.', 'unsupported_parameter')
  }
  const stream = flag(body, 'stream')
  const options = body.stream_options ?? undefined
  if (options !== undefined && !stream) refuse('stream_options', '`stream_options` goes with `stream: true` only.')
  if (options !== undefined && (typeof options !== 'object' || options === null))
    refuse('stream_options', 'It takes an object.')

  const limits = endpoint === 'responses' ? ['max_output_tokens'] : ['max_completion_tokens', 'max_tokens']
  const [maxTokens] = limits.map((name) => whole(body, name, 1)).filter((limit) => limit !== undefined)
  const minTokens = whole(body, 'min_tokens', 0) ?? 0
  if (maxTokens !== undefined && minTokens > maxTokens) refuse('min_tokens', '`min_tokens` is more than `max_tokens`.')
  const topP = number(body, 'top_p', 0, 1)
  const topK = whole(body, 'top_k', 0)
  const seed = whole(body, 'seed', Number.MIN_SAFE_INTEGER)
  return {
    stream,
    includeUsage: options !== undefined && flag(options as Body, 'include_usage'),
    engine: {
      prompt: readAsked(endpoint, body),
      minTokens,
      ignoreEos: flag(body, 'ignore_eos'),
      temperature: number(body, 'temperature', 0, 2) ?? 0,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(topP === undefined ? {} : { topP }),
      ...(topK === undefined ? {} : { topK }),
      ...(seed === undefined ? {} : { seed }),
    },
  }
}

/** Null, false, an empty list and `{type: "text"}` ask for nothing. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false
  if (Array.isArray(value)) return value.length > 0
  return !(typeof value === 'object' && (value as Body).type === 'text')
}

function flag(body: Body, name: string): boolean {
  const value = body[name] ?? false
  return typeof value === 'boolean' ? value : refuse(name, 'It takes true or false.', 'invalid_type')
}

function number(body: Body, name: string, least: number, most: number): number | undefined {
  const value = body[name] ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(name, 'It takes a number.', 'invalid_type')
  if (value < least || value > most) refuse(name, `It takes a number from ${least} to ${most}.`, 'invalid_value')
  return value
}

function whole(body: Body, name: string, least: number): number | undefined {
  const value = number(body, name, least, Number.MAX_SAFE_INTEGER)
  return value === undefined || Number.isInteger(value)
    ? value
    : refuse(name, 'It takes a whole number.', 'invalid_type')
}

function readAsked(endpoint: Endpoint, body: Body): Prompt {
  if (endpoint === 'completions') return readPrompt(body.prompt)
  return { kind: 'chat', messages: endpoint === 'chat' ? readMessages(body.messages, 'messages') : readInput(body) }
}

/** Responses: a text is what the user says; else a list of messages. The instructions stand before either. */
function readInput({ input, instructions }: Body): readonly ChatMessage[] {
  const said: readonly ChatMessage[] =
    typeof input === 'string' ? [{ role: 'user', text: input }] : readMessages(input, 'input')
  if ((instructions ?? undefined) === undefined) return said
  if (typeof instructions !== 'string') return refuse('instructions', 'It takes a text.', 'invalid_type')
  return [{ role: 'system', text: instructions }, ...said]
}

function readPrompt(value: unknown): Prompt {
  const prompt = Array.isArray(value) && value.length === 1 && typeof value[0] !== 'number' ? value[0] : value
  if (typeof prompt === 'string') return { kind: 'text', text: prompt }
  if (Array.isArray(prompt) && prompt.length > 0 && prompt.every((token) => Number.isInteger(token) && token >= 0)) {
    return { kind: 'tokens', tokens: prompt }
  }
  return refuse('prompt', 'It takes one text, or one list of token numbers.', 'invalid_type')
}

const ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
}

function readMessages(value: unknown, param: 'messages' | 'input'): readonly ChatMessage[] {
  if (!Array.isArray(value) || value.length === 0) {
    const text = param === 'input' ? 'a text, or ' : ''
    return refuse(param, `It takes ${text}a list of messages, at least one.`, 'invalid_type')
  }
  return value.map((message, index) => readMessage(message, `${param}[${index}]`))
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

function readMessage(value: unknown, at: string): ChatMessage {
  if (typeof value !== 'object' || value === null) return refuse(at, 'A message is an object.', 'invalid_type')
  const { role, content } = value as Body
  const known = typeof role === 'string' ? ROLES[role] : undefined
  if (known === undefined)
    return refuse(`${at}.role`, 'It takes system, developer, user or assistant.', 'invalid_value')
  if (typeof content === 'string') return { role: known, text: content }
  if (!Array.isArray(content))
    return refuse(`${at}.content`, 'It takes a text, or a list of text parts.', 'invalid_type')
  const parts = content.map((part: unknown) => {
    const { type, text } = (part ?? {}) as Body
    return TEXT_PARTS.has(type) && typeof text === 'string'
      ? text
      : refuse(`${at}.content`, 'It takes parts that are text only.', 'invalid_value')
  })
  return { role: known, text: parts.join('') }
}
