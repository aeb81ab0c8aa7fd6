import type { RequestRecord } from '../core/index.ts'
import { createBytes } from './bytes.ts'
import { type Chunk, readCompletionChunk } from './chunk.ts'
import { readErrorBody, readFault } from './fault.ts'
import { parseJson } from './json.ts'
import type { Endpoint } from './request.ts'
import { readResponsesChunk } from './responses-chunk.ts'
import type { Shapes, Skimmer } from './shapes.ts'
import { createSseParser, type EventSpan } from './sse.ts'

/** Why an answer is no good, of those reasons that the bytes of its body can show. */
export interface AnswerFault {
  readonly kind: 'server' | 'malformed' | 'notStreaming' | 'reset' | 'truncated' | 'empty'
  readonly message: string
}

/** How the body ended: in good order, by a FIN or a short body, by a reset, or because the client wanted no more of it. */
export type Ending = 'end' | 'closed' | 'reset' | 'left'

/** What a body held, in the terms of a request record. Times are whole microseconds. */
export interface Answer
  extends Pick<
    RequestRecord,
    | 'gapsUs'
    | 'outputTokens'
    | 'tokenSource'
    | 'tokensPerEvent'
    | 'inputTokens'
    | 'cachedInputTokens'
    | 'finishReason'
    | 'choices'
  > {
  readonly firstTokenUs?: number
  readonly lastTokenUs?: number
  /** Token-bearing events. */
  readonly events: number
  /** Absent: the answer is good. Never set for a body that was `left`, unless the server had failed before. */
  readonly fault?: AnswerFault
  /** Content or completion text of choice 0, its reasoning, and its text of neither kind, where they were kept. */
  readonly text?: string
  readonly reasoningText?: string
  readonly otherText?: string
}

export interface AnswerReader {
  /** Reads bytes of the body, from `from` up to `end`, that arrived at `arrivalUs`; returns how many token-bearing events they completed. */
  feed(bytes: Uint8Array, arrivalUs: number, from?: number, end?: number): number
  /** [DONE], the last event of a response, or an error of the server: whatever follows changes nothing. */
  isOver(): boolean
  /** Arrival of the last token-bearing event so far. */
  lastTokenUs(): number | undefined
  end(how: Ending): Answer
  /** Ready for another body, of which the text is kept or not. Its memory is used again: a reader serves one connection for a whole run. */
  reset(keepText?: boolean): void
}

export interface AnswerOptions {
  readonly endpoint: Endpoint
  /** Events of a known shape are skimmed; readers of one server's answers share them. */
  readonly shapes?: Shapes
  /** Keep the text, which is not to be had without decoding every event: where tokens must be counted from it, and for tests. */
  readonly keepText?: boolean
}

const DONE = '[DONE]'
/** Beyond it, a body without an event is not looked at for an error object. */
const MAX_HEAD_BYTES = 2 ** 20

export function createAnswerReader({ endpoint, shapes, keepText: keepsText = false }: AnswerOptions): AnswerReader {
  const readChunk = endpoint === 'responses' ? readResponsesChunk : readCompletionChunk
  const head = createBytes() // the body, until it shows to be an event stream
  let arrivals = new Float64Array(256)
  let running = new Float64Array(256) // completion tokens so far, as told in the same event
  let keepText = keepsText
  let events = 0
  let eventsWithUsage = 0
  let nowUs = 0
  let bytesRead = 0
  let isComplete = false
  let isOver = false
  let choices = 0
  let finishReason: string | undefined
  let input: number | undefined
  let cachedInput: number | undefined
  let output: number | undefined
  let serverFault: string | undefined
  let malformed: string | undefined
  let content = ''
  let reasoning = ''
  let other = ''

  /** `tokensSoFar` as the event tells them, −1 where it does not. */
  const addToken = (tokensSoFar: number): void => {
    if (events === arrivals.length) {
      arrivals = doubled(arrivals)
      running = doubled(running)
    }
    arrivals[events] = nowUs
    if (tokensSoFar >= 0) {
      running[events] = tokensSoFar
      eventsWithUsage++
    }
    events++
  }

  const take = (chunk: Chunk): void => {
    if (chunk.fault !== undefined) serverFault ??= chunk.fault
    if (chunk.usage !== undefined) {
      input = chunk.usage.input ?? input
      cachedInput = chunk.usage.cachedInput ?? cachedInput
      output = chunk.usage.output ?? output
    }
    if (chunk.choices > choices) choices = chunk.choices
    if (chunk.finishReason !== undefined) finishReason = chunk.finishReason
    isComplete ||= chunk.completes
    isOver ||= chunk.ends
    if (keepText) {
      content += chunk.text
      reasoning += chunk.reasoning
      other += chunk.other
    }
    if (chunk.bearsToken) addToken(chunk.usage?.output ?? -1)
  }

  /** Blank data and pings say nothing; `whole` false: the last event of a body, which may have been cut. */
  const readEvent = (data: string, type: string, isWhole: boolean, span?: EventSpan): void => {
    if (isOver) return
    const trimmed = data.trim()
    if (trimmed === DONE) {
      isComplete = true
      isOver = true
      return
    }
    if (trimmed === '' || type === 'ping') return
    const parsed = parseJson(data)
    if (!parsed.ok && !isWhole) return
    if (type === 'error') {
      serverFault ??= readErrorBody(data)
      isOver = true
    } else if (parsed.ok) {
      const chunk = readChunk(parsed.value)
      take(chunk)
      if (span !== undefined) shapes?.learn(span, chunk)
    } else {
      malformed ??= `An event is not JSON: ${data.slice(0, 200)}`
    }
  }

  /** The same as `readEvent` for a plain token event of a known shape, at a fraction of the cost. */
  const skimWith =
    ({ skim, said }: Skimmer) =>
    (bytes: Uint8Array, from: number, end: number): number => {
      if (isOver || keepText) return from
      const to = skim(bytes, from, end)
      if (to === from) return from
      if (said.choices > choices) choices = said.choices
      if (said.input >= 0) input = said.input
      if (said.cachedInput >= 0) cachedInput = said.cachedInput
      if (said.output >= 0) output = said.output
      addToken(said.output)
      return to
    }

  const parser = createSseParser({
    onEvent: (data, type, span) => readEvent(data, type, true, span),
    ...(shapes !== undefined && { skim: skimWith(shapes.createSkimmer()) }),
  })

  /** A body that is no event stream: an error as JSON, or something else altogether. Undefined where it is one, or has no byte. */
  const strange = (): AnswerFault | undefined => {
    if (parser.isEventStream()) return undefined
    const body = new TextDecoder().decode(head.view()).trim()
    if (body === '') return undefined
    const parsed = parseJson(body)
    const message = parsed.ok ? readFault(parsed.value) : undefined
    return message === undefined
      ? { kind: 'notStreaming', message: `The body is no event stream: ${readErrorBody(body).slice(0, 200)}` }
      : { kind: 'server', message }
  }

  const faultOf = (how: Ending): AnswerFault | undefined => {
    if (serverFault !== undefined) return { kind: 'server', message: serverFault }
    if (parser.isOverflowed()) malformed ??= 'An event is larger than 64 MiB.'
    if (malformed !== undefined) return { kind: 'malformed', message: malformed }
    if (how === 'left') return undefined
    const noStream = strange()
    if (noStream !== undefined) return noStream
    if (isComplete)
      return events > 0 ? undefined : { kind: 'empty', message: 'The answer is complete and holds no token.' }
    if (how === 'reset') return { kind: 'reset', message: 'The connection was reset before the answer was complete.' }
    if (how === 'end' && bytesRead === 0) return { kind: 'empty', message: 'The answer has no body.' }
    return { kind: 'truncated', message: 'The answer ended before it was complete.' }
  }

  const gaps = (): number[] => {
    const all: number[] = []
    for (let i = 1; i < events; i++) all.push((arrivals[i] ?? 0) - (arrivals[i - 1] ?? 0))
    return all
  }

  /** Known only where every event told the running count, and the count never fell. */
  const tokensPerEvent = (): number[] | undefined => {
    if (events === 0 || eventsWithUsage < events) return undefined
    const each: number[] = []
    for (let i = 0; i < events; i++) each.push((running[i] ?? 0) - (i === 0 ? 0 : (running[i - 1] ?? 0)))
    return each.some((tokens) => tokens < 0) || each.every((tokens) => tokens === 0) ? undefined : each
  }

  const lastTokenUs = (): number | undefined => (events > 0 ? arrivals[events - 1] : undefined)

  return {
    feed(bytes, arrivalUs, from = 0, end = bytes.length) {
      if (isOver) return 0
      const before = events
      nowUs = Math.round(arrivalUs)
      bytesRead += end - from
      parser.feed(bytes, from, end)
      if (head.length() < MAX_HEAD_BYTES && !parser.isEventStream()) head.append(bytes, from, end)
      return events - before
    },
    isOver: () => isOver,
    lastTokenUs,
    end(how) {
      if (how === 'end') {
        const last = parser.end()
        if (last !== undefined) readEvent(last.data, last.type, false)
      }
      const fault = faultOf(how)
      const first = events > 0 ? arrivals[0] : undefined
      const last = lastTokenUs()
      const counted = output !== undefined && output > 0
      const perEvent = counted ? tokensPerEvent() : undefined
      return {
        ...(first !== undefined && { firstTokenUs: first }),
        ...(last !== undefined && { lastTokenUs: last }),
        events,
        gapsUs: gaps(),
        outputTokens: counted ? (output ?? 0) : events,
        tokenSource: counted ? 'usage' : 'events',
        ...(perEvent !== undefined && { tokensPerEvent: perEvent }),
        ...(input !== undefined && input > 0 && { inputTokens: input }),
        ...(cachedInput !== undefined && { cachedInputTokens: cachedInput }),
        ...(finishReason !== undefined && { finishReason }),
        ...(choices > 1 && { choices }),
        ...(fault !== undefined && { fault }),
        ...(keepText && { text: content, reasoningText: reasoning, otherText: other }),
      }
    },
    reset(keep = keepsText) {
      keepText = keep
      parser.reset()
      head.clear()
      events = 0
      eventsWithUsage = 0
      bytesRead = 0
      isComplete = false
      isOver = false
      choices = 0
      finishReason = undefined
      input = undefined
      cachedInput = undefined
      output = undefined
      serverFault = undefined
      malformed = undefined
      content = ''
      reasoning = ''
      other = ''
    },
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(values.length * 2)
  grown.set(values)
  return grown
}
