import type { RequestRecord } from '../core/index.ts'
import { createBytes } from './bytes.ts'
import { type Chunk, readCompletionChunk } from './chunk.ts'
import { readErrorBody, readFault } from './fault.ts'
import { parseJson } from './json.ts'
import type { Endpoint } from './request.ts'
import { readResponsesChunk } from './responses-chunk.ts'
import type { Shapes, Skimmer } from './shapes.ts'
import { createSseParser, type EventSpan, type SseOptions, type SseParser } from './sse.ts'

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
  /** [DONE], the last event of a response, an error of the server, or an event that is too large: whatever follows changes nothing. */
  isOver(): boolean
  /** Arrival of the last token-bearing event so far. */
  lastTokenUs(): number | undefined
  /** At least 1. */
  choicesSoFar(): number
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

export function createAnswerReader(options: AnswerOptions): AnswerReader {
  return new EventReader(options)
}

/** A class, as all that is kept for each stream of a measurement: see `StreamLane`. It is its parser's options: what becomes of an event. */
class EventReader implements AnswerReader, SseOptions {
  private nowUs = 0
  private events = 0 // that bear a token
  private firstUs = 0
  private lastUs = 0
  private tokensTold = 0
  private bytesRead = 0
  private choices = 0
  private isComplete = false
  private hasEnded = false // whatever follows changes nothing
  // Filled as events come, and handed over with the answer: at its end, when the next request is due, nothing is left to do.
  private gapsUs: number[] = []
  private tokensEach: number[] = [] // of those events that told the completion tokens so far
  // −1: not told.
  private input = -1
  private cachedInput = -1
  private output = -1
  private readonly parser: SseParser
  private readonly skimmer: Skimmer | undefined
  private readonly head = createBytes() // the body, until it shows to be an event stream
  private finishReason: string | undefined
  private serverFault: string | undefined
  private malformed: string | undefined
  private content = ''
  private reasoning = ''
  private other = ''
  private readonly shapes: Shapes | undefined
  private readonly keepsText: boolean
  private keepText: boolean
  private readonly readChunk: (value: unknown) => Chunk

  constructor({ endpoint, shapes, keepText = false }: AnswerOptions) {
    this.readChunk = endpoint === 'responses' ? readResponsesChunk : readCompletionChunk
    this.shapes = shapes
    this.keepsText = keepText
    this.keepText = keepText
    this.skimmer = shapes?.createSkimmer()
    this.parser = createSseParser(this)
  }

  feed(bytes: Uint8Array, arrivalUs: number, from = 0, end: number = bytes.length): number {
    if (this.hasEnded) return 0
    const before = this.events
    this.nowUs = Math.round(arrivalUs)
    this.bytesRead += end - from
    this.parser.feed(bytes, from, end)
    if (this.events === before && this.parser.isOverflowed()) this.hasEnded = true
    // What has brought a token is an event stream.
    if (this.events === 0 && this.head.length() < MAX_HEAD_BYTES && !this.parser.isEventStream())
      this.head.append(bytes, from, end)
    return this.events - before
  }

  isOver(): boolean {
    return this.hasEnded
  }

  lastTokenUs(): number | undefined {
    return this.events > 0 ? this.lastUs : undefined
  }

  choicesSoFar(): number {
    return Math.max(1, this.choices)
  }

  /** The same as `readEvent` for a plain token event of a known shape, at a fraction of the cost. */
  skim(bytes: Uint8Array, from: number, end: number): number {
    const { skimmer } = this
    if (skimmer === undefined || this.keepText || this.hasEnded) return from
    const to = skimmer.skim(bytes, from, end)
    if (to === from) return from
    const { said } = skimmer
    if (said.choices > this.choices) this.choices = said.choices
    if (said.input >= 0) this.input = said.input
    if (said.cachedInput >= 0) this.cachedInput = said.cachedInput
    if (said.output >= 0) this.output = said.output
    this.addToken(said.output)
    return to
  }

  /** `tokensSoFar` as the event tells them, −1 where it does not. */
  private addToken(tokensSoFar: number): void {
    const { nowUs } = this
    if (this.events === 0) this.firstUs = nowUs
    else this.gapsUs.push(nowUs - this.lastUs)
    this.lastUs = nowUs
    if (tokensSoFar >= 0) {
      this.tokensEach.push(tokensSoFar - this.tokensTold)
      this.tokensTold = tokensSoFar
    }
    this.events++
  }

  private take(chunk: Chunk): void {
    if (chunk.fault !== undefined) this.serverFault ??= chunk.fault
    if (chunk.usage !== undefined) {
      this.input = chunk.usage.input ?? this.input
      this.cachedInput = chunk.usage.cachedInput ?? this.cachedInput
      this.output = chunk.usage.output ?? this.output
    }
    if (chunk.choices > this.choices) this.choices = chunk.choices
    if (chunk.finishReason !== undefined) this.finishReason = chunk.finishReason
    this.isComplete ||= chunk.completes
    this.hasEnded ||= chunk.ends
    if (this.keepText) {
      this.content += chunk.text
      this.reasoning += chunk.reasoning
      this.other += chunk.other
    }
    if (chunk.bearsToken) this.addToken(chunk.usage?.output ?? -1)
  }

  /** Blank data and pings say nothing; `whole` false: the last event of a body, which may have been cut. */
  onEvent(data: string, type: string, span: EventSpan | undefined): void {
    this.readEvent(data, type, true, span)
  }

  private readEvent(data: string, type: string, isWhole: boolean, span?: EventSpan): void {
    if (this.hasEnded) return
    const trimmed = data.trim()
    if (trimmed === DONE) {
      this.isComplete = true
      this.hasEnded = true
      return
    }
    if (trimmed === '' || type === 'ping') return
    const parsed = parseJson(data)
    if (!parsed.ok && !isWhole) return
    if (type === 'error') {
      this.serverFault ??= readErrorBody(data)
      this.hasEnded = true
    } else if (parsed.ok) {
      const chunk = this.readChunk(parsed.value)
      this.take(chunk)
      if (span !== undefined) this.shapes?.learn(span, chunk)
    } else {
      this.malformed ??= `An event is not JSON: ${data.slice(0, 200)}`
    }
  }

  /** A body that is no event stream: an error as JSON, or something else altogether. Undefined where it is one, or has no byte. */
  private strange(): AnswerFault | undefined {
    if (this.parser.isEventStream()) return undefined
    const body = new TextDecoder().decode(this.head.view()).trim()
    if (body === '') return undefined
    const parsed = parseJson(body)
    const message = parsed.ok ? readFault(parsed.value) : undefined
    return message === undefined
      ? { kind: 'notStreaming', message: `The body is no event stream: ${readErrorBody(body).slice(0, 200)}` }
      : { kind: 'server', message }
  }

  private faultOf(how: Ending): AnswerFault | undefined {
    if (this.serverFault !== undefined) return { kind: 'server', message: this.serverFault }
    if (this.parser.isOverflowed()) this.malformed ??= 'An event is larger than 64 MiB.'
    if (this.malformed !== undefined) return { kind: 'malformed', message: this.malformed }
    if (how === 'left') return undefined
    const noStream = this.strange()
    if (noStream !== undefined) return noStream
    if (this.isComplete)
      return this.events > 0 ? undefined : { kind: 'empty', message: 'The answer is complete and holds no token.' }
    if (how === 'reset') return { kind: 'reset', message: 'The connection was reset before the answer was complete.' }
    if (how === 'end' && this.bytesRead === 0) return { kind: 'empty', message: 'The answer has no body.' }
    return { kind: 'truncated', message: 'The answer ended before it was complete.' }
  }

  /** Known only where every event told the running count, and the count never fell. */
  private tokensPerEvent(): number[] | undefined {
    if (this.events === 0 || this.tokensEach.length < this.events) return undefined
    return this.tokensEach.some((tokens) => tokens < 0) || this.tokensTold === 0 ? undefined : this.tokensEach
  }

  end(how: Ending): Answer {
    if (how === 'end') {
      const last = this.parser.end()
      if (last !== undefined) this.readEvent(last.data, last.type, false)
    }
    const fault = this.faultOf(how)
    const { events, output, input, cachedInput, finishReason, choices } = this
    const counted = output > 0
    const perEvent = counted ? this.tokensPerEvent() : undefined
    return {
      ...(events > 0 && { firstTokenUs: this.firstUs, lastTokenUs: this.lastUs }),
      events,
      gapsUs: this.gapsUs,
      outputTokens: counted ? output : events,
      tokenSource: counted ? 'usage' : 'events',
      ...(perEvent !== undefined && { tokensPerEvent: perEvent }),
      ...(input > 0 && { inputTokens: input }),
      ...(cachedInput >= 0 && { cachedInputTokens: cachedInput }),
      ...(finishReason !== undefined && { finishReason }),
      ...(choices > 1 && { choices }),
      ...(fault !== undefined && { fault }),
      ...(this.keepText && { text: this.content, reasoningText: this.reasoning, otherText: this.other }),
    }
  }

  reset(keepText: boolean = this.keepsText): void {
    this.keepText = keepText
    this.parser.reset()
    this.head.clear()
    this.events = 0
    this.gapsUs = []
    this.tokensEach = []
    this.tokensTold = 0
    this.bytesRead = 0
    this.isComplete = false
    this.hasEnded = false
    this.choices = 0
    this.finishReason = undefined
    this.input = -1
    this.cachedInput = -1
    this.output = -1
    this.serverFault = undefined
    this.malformed = undefined
    this.content = ''
    this.reasoning = ''
    this.other = ''
  }
}
