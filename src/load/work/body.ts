import type { ChatMessage } from '../../core/index.ts'
import { bodyOf, type Dialect } from '../target/dialect.ts'

type Body = Readonly<Record<string, unknown>>

/** Request bodies of one dialect. Without `outputTokens` an answer ends where the model ends it. */
export interface BodyWriter {
  /** Of plain words, which need no escapes: everything around them is encoded once. */
  words(words: string, outputTokens: number): string
  text(text: string, outputTokens?: number): string
  messages(messages: readonly ChatMessage[], outputTokens?: number): string
  /** Somebody's own body: all of it but the model and how the answer is streamed. */
  whole(body: Body): string
}

const PROMPT = '<prompt>'
/** Stands for the length in a body that is used again and again; no server is asked for so many tokens. */
const LENGTH = 8_080_808_080_808

const PROMPT_KEYS = { chat: 'messages', completions: 'prompt', responses: 'input' } as const

export function createBodyWriter(dialect: Dialect): BodyWriter {
  const { endpoint, model, includeUsage, extraBody } = dialect
  const template = bodyOf(dialect, PROMPT, LENGTH)
  const fields = Object.entries(JSON.parse(template) as Body)
  // The prompt comes right after the model, so the first such text is its place, whatever stands further on.
  const place = template.indexOf(`"${PROMPT}"`)
  const before = template.slice(0, place).split(String(LENGTH))
  const after = template.slice(place + PROMPT.length + 2).split(String(LENGTH))
  let written = { outputTokens: 0, before: '', after: '' }

  const filled = (prompt: unknown, outputTokens: number | undefined): string => {
    const body: Record<string, unknown> = {}
    for (const [key, value] of fields) {
      if (key === PROMPT_KEYS[endpoint]) body[key] = prompt
      else if (outputTokens === undefined && (value === LENGTH || key === 'ignore_eos')) continue
      else body[key] = value === LENGTH ? outputTokens : value
    }
    return JSON.stringify(body)
  }

  return {
    words(words, outputTokens) {
      if (written.outputTokens !== outputTokens) {
        const length = String(outputTokens)
        written = { outputTokens, before: before.join(length), after: after.join(length) }
      }
      return `${written.before}"${words}"${written.after}`
    },
    text: (text, outputTokens) => filled(endpoint === 'chat' ? [{ role: 'user', content: text }] : text, outputTokens),
    messages: (messages, outputTokens) =>
      // A completion knows no speakers: what was said stands in it paragraph after paragraph.
      filled(endpoint === 'completions' ? messages.map(({ content }) => content).join('\n\n') : messages, outputTokens),
    whole: (body) =>
      JSON.stringify({
        ...body,
        ...extraBody,
        model,
        stream: true,
        ...(includeUsage && endpoint !== 'responses' && { stream_options: { include_usage: true } }),
      }),
  }
}
