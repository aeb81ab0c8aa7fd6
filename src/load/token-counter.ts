import type { RequestRecord } from '../core/index.ts'
import type { Client, Seen } from './client.ts'
import type { CountTokens } from './tokenizer.ts'

/**
 * The same client, which counts the tokens of each answer whose server does not say how many they are. The record has ended by then, and
 * the sockets of its turn have been read: what is counted delays the next request of the same user, and no time that is in a record.
 */
export function countingClient<C extends Client>(client: C, count: CountTokens): C {
  return {
    ...client,
    send: (exchange, onEnd) =>
      client.send({ ...exchange, keepText: true }, (record, seen) => {
        if (record.tokenSource === 'usage') onEnd(record, seen)
        else setImmediate(() => onEnd(counted(record, seen, count), seen))
      }),
  }
}

/** Text was kept of the first choice alone; and where there is no text at all, nothing can be counted but events. */
function counted(record: RequestRecord, seen: Seen, count: CountTokens): RequestRecord {
  if ((record.choices ?? 1) > 1) return record
  // Each kind by itself: in the stream of tokens a special one stands between them.
  const texts = [seen.reasoningText, seen.text, seen.otherText]
  const outputTokens = texts.reduce((sum, text = '') => sum + count(text), 0)
  return outputTokens === 0 ? record : { ...record, outputTokens, tokenSource: 'tokenizer' }
}
