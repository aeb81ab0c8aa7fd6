import { readFault } from './fault.ts'
import { field, list, text } from './json.ts'
import type { Reading } from './shape.ts'
import { readUsage, type Usage } from './usage.ts'

/** What one event of an answer says. */
export interface Chunk {
  /** It holds generated text of any kind, in any choice. */
  readonly bearsToken: boolean
  /** Content or completion text, and reasoning text, of choice 0. */
  readonly text: string
  readonly reasoning: string
  /** And text of neither kind: a refusal, a call's name and arguments. */
  readonly other: string
  /** The highest choice index in it, plus one. */
  readonly choices: number
  /** Of choice 0. */
  readonly finishReason?: string
  /** The answer is whole as of this event. */
  readonly completes: boolean
  /** It is the last event that means anything: what follows changes nothing. */
  readonly ends: boolean
  readonly usage?: Usage
  /** The server says in it that the request failed. */
  readonly fault?: string
}

export const NOTHING: Chunk = {
  bearsToken: false,
  text: '',
  reasoning: '',
  other: '',
  choices: 0,
  completes: false,
  ends: false,
}

/** A choice's generated text. */
interface Generated {
  readonly content: string
  readonly reasoning: string
  readonly other: string
}

const CALLED: Reading = { name: 'token', arguments: 'token' }

/** All of an event that `readCompletionChunk` looks at. */
export const COMPLETION_READING: Reading = {
  error: 'fixed',
  object: 'fixed',
  usage: {
    prompt_tokens: 'input',
    completion_tokens: 'output',
    // Looked at only where reasoning tokens are told: no shape is learnt from such an event.
    total_tokens: 'number',
    input_tokens: 'fixed',
    output_tokens: 'fixed',
    prompt_tokens_details: 'fixed',
    completion_tokens_details: 'fixed',
    input_tokens_details: 'fixed',
    output_tokens_details: 'fixed',
  },
  choices: {
    index: 'fixed',
    finish_reason: 'fixed',
    text: 'token',
    delta: {
      content: 'token',
      reasoning: 'token',
      reasoning_content: 'token',
      refusal: 'token',
      tool_calls: { function: CALLED },
      function_call: CALLED,
    },
  },
}

/** One event of a chat or completions stream. */
export function readCompletionChunk(value: unknown): Chunk {
  const fault = readFault(value)
  const usage = readUsage(field(value, 'usage'))
  const choices = list(field(value, 'choices'))
  let chunk = { ...NOTHING, completes: choices.length === 0 && usage !== undefined }
  let finishReason: string | undefined
  for (const choice of choices) {
    const index = Number(field(choice, 'index') ?? 0)
    const { content, reasoning, other } = generatedOf(choice)
    const reason = text(field(choice, 'finish_reason'))
    const isFirst = index === 0
    if (isFirst && reason !== undefined) finishReason = reason
    chunk = {
      ...chunk,
      bearsToken: chunk.bearsToken || content !== '' || reasoning !== '' || other !== '',
      text: isFirst ? chunk.text + content : chunk.text,
      reasoning: isFirst ? chunk.reasoning + reasoning : chunk.reasoning,
      other: isFirst ? chunk.other + other : chunk.other,
      choices: Math.max(chunk.choices, Number.isInteger(index) ? index + 1 : 1),
      completes: chunk.completes || reason !== undefined,
    }
  }
  return {
    ...chunk,
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(fault !== undefined && { fault, ends: true }),
  }
}

function generatedOf(choice: unknown): Generated {
  const delta = field(choice, 'delta')
  const { content, thinking } = readContent(field(delta, 'content'))
  const completion = text(field(choice, 'text')) ?? ''
  return {
    content: content + completion,
    reasoning: thinking + reasoningOf(delta),
    other: (text(field(delta, 'refusal')) ?? '') + calledIn(delta),
  }
}

/** Servers in transition send the same text under both names; it is one text. */
function reasoningOf(delta: unknown): string {
  const long = text(field(delta, 'reasoning_content')) ?? ''
  const short = text(field(delta, 'reasoning')) ?? ''
  return long === short ? long : long + short
}

/** Content is a string, or a list of parts: text parts are content, thinking parts reasoning, any other part no text. */
function readContent(value: unknown): { readonly content: string; readonly thinking: string } {
  if (typeof value === 'string') return { content: value, thinking: '' }
  let content = ''
  let thinking = ''
  for (const part of list(value)) {
    if (field(part, 'type') === 'thinking') {
      const inner = readContent(field(part, 'thinking'))
      thinking += inner.content + inner.thinking
    } else if (field(part, 'type') === 'text') {
      content += text(field(part, 'text')) ?? ''
    }
  }
  return { content, thinking }
}

/** A function's name is generated text like its arguments; the id of the call is not. */
function calledIn(delta: unknown): string {
  const functions = list(field(delta, 'tool_calls')).map((call) => field(call, 'function'))
  return [...functions, field(delta, 'function_call')]
    .map((called) => (text(field(called, 'name')) ?? '') + (text(field(called, 'arguments')) ?? ''))
    .join('')
}
