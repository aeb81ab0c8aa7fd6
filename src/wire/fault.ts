import { field, parseJson, text } from './json.ts'

/** A server's text may be a page or a stack trace; a record keeps the beginning. */
const MAX_LENGTH = 500

const cut = (message: string): string =>
  message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH - 1)}…` : message

/**
 * The error that a parsed body or event tells of, in the server's words: `{"error": {"message"}}`, `{"error": "text"}`, or the flat
 * `{"object": "error", "message"}`. Undefined where it tells of none; `"error": null` is none.
 */
export function readFault(value: unknown): string | undefined {
  const error = field(value, 'error')
  if (error) return cut(messageOf(error) ?? JSON.stringify(error))
  if (field(value, 'object') === 'error') return cut(messageOf(value) ?? JSON.stringify(value))
  return undefined
}

/** What a body that came with an error status, or an event that is called `error`, says for people. */
export function readErrorBody(body: string): string {
  const parsed = parseJson(body)
  if (!parsed.ok) return cut(plain(body))
  return readFault(parsed.value) ?? cut(messageOf(parsed.value) ?? plain(body))
}

function messageOf(error: unknown): string | undefined {
  const detail = field(error, 'detail')
  return text(error) ?? text(field(error, 'message')) ?? text(detail) ?? (detail ? JSON.stringify(detail) : undefined)
}

/** A page without its markup. */
const plain = (page: string): string =>
  page
    .replace(/<(script|style)\b.*?<\/\1>/gis, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
