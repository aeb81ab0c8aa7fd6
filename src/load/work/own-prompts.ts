import type { OwnPrompt, TraceRow } from '../../core/index.ts'
import type { BodyWriter } from './body.ts'
import type { Ask } from './work.ts'

/** One of somebody's own prompts, of a conversation its first turn; without `outputTokens` the answer ends where the model ends it. */
export function askOwn(prompt: OwnPrompt, bodies: BodyWriter, outputTokens: number | undefined): Ask {
  const asked = outputTokens === undefined ? {} : { askedOutputTokens: outputTokens }
  switch (prompt.kind) {
    case 'text':
      return { body: bodies.text(prompt.text, outputTokens), ...asked }
    case 'messages':
      return { body: bodies.messages(prompt.messages, outputTokens), ...asked }
    case 'body':
      return askWhole(prompt.body, bodies)
    case 'talk': {
      const first = { role: 'user', content: prompt.says[0] ?? '' }
      const { system } = prompt
      const messages = system === undefined ? [first] : [{ role: 'system', content: system }, first]
      return { body: bodies.messages(messages, outputTokens), ...asked }
    }
  }
}

const LIMITS = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'] as const

export function askWhole(body: NonNullable<TraceRow['body']>, bodies: BodyWriter): Ask {
  const limit = LIMITS.map((name) => body[name]).find((value) => Number.isInteger(value) && Number(value) > 0)
  return { body: bodies.whole(body), ...(limit !== undefined && { askedOutputTokens: Number(limit) }) }
}
