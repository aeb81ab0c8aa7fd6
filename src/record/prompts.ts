import type { ChatMessage, OwnPrompt } from '../core/index.ts'
import { createLineFaults, isObject, type LineFaults, numberedLines, objectIn, quoted } from './line-faults.ts'

const HINT =
  'It takes JSON lines, each {"prompt":"…"}, {"messages":[…]}, a whole request body or a ShareGPT conversation ' +
  '({"conversations":[{"from":"human","value":"…"}]}), or one JSON list of such objects.'

export interface OwnPrompts {
  /** At least one. */
  readonly prompts: readonly OwnPrompt[]
  /** Conversations in which the user says nothing, as the published files have some: they are left out. */
  readonly silent: number
}

/**
 * The prompts of a user's file, in its order: JSON lines, or one JSON list.
 *
 * ```
 *   {"prompt":"…"} · {"messages":[…]}      a prompt: limits and sampling are twospeed's
 *   the same with further keys, or "input"  a whole body: sent as it is
 *   {"custom_id":…,"body":{…}}              a line of OpenAI's batch format: its body
 *   {"conversations":[{from,value},…]}      ShareGPT: a conversation
 * ```
 *
 * Throws INVALID_WORK with every entry that is none of these. An entry's own extra keys are not judged: bodies differ between servers.
 */
export function parsePrompts(lines: Iterable<string>): OwnPrompts {
  const faults = createLineFaults('The prompts file', HINT)
  const prompts: OwnPrompt[] = []
  let silent = 0
  const add = (value: Readonly<Record<string, unknown>> | undefined, where: string): void => {
    const prompt = value === undefined ? undefined : promptOf(value, where, faults)
    if (prompt?.kind === 'talk' && prompt.says.length === 0) silent++
    else if (prompt !== undefined) prompts.push(prompt)
  }
  const list: string[] = []
  let isList: boolean | undefined
  for (const { number, text } of numberedLines(lines)) {
    isList ??= text.startsWith('[')
    if (isList) list.push(text)
    else add(objectIn(text, `line ${number}`, faults), `line ${number}`)
  }
  if (isList === true) {
    for (const [index, value] of listIn(list, faults).entries()) {
      if (!isObject(value)) faults.add(`entry ${index + 1}`, 'it is not an object')
      else add(value, `entry ${index + 1}`)
    }
  }
  faults.settle()
  if (prompts.length === 0) faults.add('the file', 'it has no prompt')
  faults.settle()
  return { prompts, silent }
}

function listIn(lines: readonly string[], faults: LineFaults): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(lines.join('\n'))
    if (Array.isArray(value)) return value
  } catch {
    // Said below, as for what is JSON and no list.
  }
  faults.add('the file', 'it begins as a JSON list and is none')
  return []
}

function promptOf(value: Readonly<Record<string, unknown>>, where: string, faults: LineFaults): OwnPrompt | undefined {
  if ('conversations' in value) return talkOf(value.conversations, where, faults)
  if ('body' in value && ('custom_id' in value || Object.keys(value).length === 1)) {
    if (isObject(value.body)) return { kind: 'body', body: value.body }
    faults.add(`${where}, body`, `${quoted(value.body)} is no request body`)
    return undefined
  }
  const isAlone = Object.keys(value).length === 1
  if (isAlone && 'prompt' in value) {
    if (typeof value.prompt === 'string' && value.prompt !== '') return { kind: 'text', text: value.prompt }
    faults.add(`${where}, prompt`, `${quoted(value.prompt)} is no text`)
    return undefined
  }
  if (isAlone && 'messages' in value) {
    const { messages } = value
    if (Array.isArray(messages) && messages.length > 0 && messages.every(isMessage))
      return { kind: 'messages', messages }
    faults.add(`${where}, messages`, `${quoted(messages)} is no list of messages, each with role and content`)
    return undefined
  }
  if ('prompt' in value || 'messages' in value || 'input' in value) return { kind: 'body', body: value }
  const others = Object.keys(value).join(', ')
  const but = others === '' ? '' : `, but ${quoted(others)}`
  faults.add(where, `it has no prompt, messages, input or conversations${but}`)
  return undefined
}

const isMessage = (value: unknown): value is ChatMessage =>
  isObject(value) && typeof value.role === 'string' && 'content' in value

const SPEAKERS: Readonly<Record<string, 'user' | 'assistant' | 'system'>> = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  assistant: 'assistant',
  system: 'system',
}

/** What the user says, one turn after the other, and what stands above it. */
function talkOf(turns: unknown, where: string, faults: LineFaults): OwnPrompt | undefined {
  if (!Array.isArray(turns)) {
    faults.add(`${where}, conversations`, `${quoted(turns)} is no list`)
    return undefined
  }
  const says: string[] = []
  let system: string | undefined
  for (const [index, turn] of (turns as readonly unknown[]).entries()) {
    const { from, value } = isObject(turn) ? turn : {}
    const speaker = typeof from === 'string' ? SPEAKERS[from] : undefined
    if (speaker === undefined || typeof value !== 'string') {
      faults.add(`${where}, conversations[${index}]`, `${quoted(turn)} is no {from, value} of a speaker that is known`)
      return undefined
    }
    if (speaker === 'user' && value !== '') says.push(value)
    if (speaker === 'system' && value !== '') system ??= value
  }
  return { kind: 'talk', ...(system !== undefined && { system }), says }
}
