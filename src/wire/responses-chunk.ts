import { type Chunk, NOTHING } from './chunk.ts'
import { readFault } from './fault.ts'
import { field, text } from './json.ts'
import type { Reading } from './shape.ts'
import { readUsage } from './usage.ts'

/** All of an event that `readResponsesChunk` looks at, but for the message of an error. */
export const RESPONSES_READING: Reading = {
  type: 'fixed',
  delta: 'token',
  item: { name: 'token' },
  response: 'fixed',
  error: 'fixed',
  object: 'fixed',
}

/**
 * One event of a Responses stream. Its `*.delta` events bear tokens (text, reasoning, a refusal, the arguments of a call), and so does
 * the event that adds a call by its name; the `*.done` events and the final object repeat what these brought. There is no [DONE]: the
 * stream ends with the response's last state.
 */
export function readResponsesChunk(value: unknown): Chunk {
  const type = text(field(value, 'type')) ?? ''
  const response = field(value, 'response')
  const usage = readUsage(field(response, 'usage'))
  const known = { ...NOTHING, choices: 1, ...(usage !== undefined && { usage }) }
  switch (type) {
    case 'response.completed':
      return { ...known, completes: true, ends: true, finishReason: 'completed' }
    case 'response.incomplete': {
      const reason = text(field(field(response, 'incomplete_details'), 'reason'))
      return { ...known, completes: true, ends: true, finishReason: reason ?? 'incomplete' }
    }
    case 'response.failed':
      return { ...known, ends: true, fault: readFault(response) ?? 'The response failed.' }
    case 'error':
      return {
        ...known,
        ends: true,
        fault: readFault(value) ?? text(field(value, 'message')) ?? 'The response failed.',
      }
    case 'response.output_item.added': {
      // A function's name is generated text; a message or a piece of reasoning has none.
      const name = text(field(field(value, 'item'), 'name')) ?? ''
      return { ...known, bearsToken: name !== '', other: name }
    }
  }
  const fault = readFault(value)
  if (fault !== undefined) return { ...known, ends: true, fault }
  const delta = type.endsWith('.delta') ? text(field(value, 'delta')) : undefined
  if (delta === undefined) return known
  const kind =
    type === 'response.output_text.delta' ? 'text' : type.startsWith('response.reasoning') ? 'reasoning' : 'other'
  return { ...known, bearsToken: true, [kind]: delta }
}
