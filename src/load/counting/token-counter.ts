import type { RequestRecord } from '../../core/index.ts'
import type { Client, Seen } from '../http/client.ts'
import type { AnswerCounter } from './answer-counter.ts'

/**
 * The same client, which has the tokens counted of each answer whose server does not say how many they are. The record has ended by
 * then: counting delays the next request of the same user, and no time that is in a record.
 */
export function countingClient<C extends Client>(client: C, counter: AnswerCounter): C {
  return {
    ...client,
    send: (exchange, onEnd) =>
      client.send({ ...exchange, keepText: true }, (record, seen) => {
        if (isCounted(record)) onEnd(record, seen)
        else void counter.count(textsOf(seen)).then((tokens) => onEnd(withTokens(record, tokens), seen))
      }),
  }
}

/** By the server, or by nobody: text was kept of the first choice alone. */
const isCounted = ({ tokenSource, choices = 1 }: RequestRecord): boolean => tokenSource === 'usage' || choices > 1

/** Each kind by itself: in the stream of tokens a special one stands between them. */
const textsOf = ({ reasoningText = '', text = '', otherText = '' }: Seen): readonly string[] =>
  [reasoningText, text, otherText].filter((one) => one !== '')

/** Where there is no text, nothing can be counted but events. */
const withTokens = (record: RequestRecord, outputTokens: number): RequestRecord =>
  outputTokens === 0 ? record : { ...record, outputTokens, tokenSource: 'tokenizer' }
