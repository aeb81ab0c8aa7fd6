import type { ErrorKind, Outcome, RequestFault, RequestRecord } from '../../core/index.ts'
import {
  type Answer,
  type AnswerReader,
  createAnswerReader,
  type Ending,
  type Endpoint,
  readErrorBody,
  type Shapes,
} from '../../wire/index.ts'
import type { Clock } from '../clock.ts'
import { type Connection, type ConnectionEvents, createConnection, type ServerHabit } from './connection.ts'
import { type Exchange, recordOf } from './exchange.ts'
import { ConnectFailure, endingOf } from './failure.ts'
import { createInflater, type Inflater } from './inflate.ts'
import type { Meter } from './meter.ts'
import type { ResponseHead } from './response-reader.ts'
import type { Transport } from './transport.ts'

/** What of an answer no record holds: only a client that keeps text gives it. */
export interface Seen {
  readonly text?: string
  readonly reasoningText?: string
  readonly otherText?: string
  readonly events: number
}

export type OnEnd = (record: RequestRecord, seen: Seen) => void

/** Absent: no limit. */
export interface Limits {
  /** From sending to the first token-bearing event. */
  readonly firstTokenTimeoutMs?: number
  /** Between token-bearing events. */
  readonly idleTimeoutMs?: number
  /** The whole request. */
  readonly requestTimeoutMs?: number
}

/** One connection with its reader, used by one request after another. */
export interface Lane {
  send(exchange: Exchange, onEnd: OnEnd): void
  /** Ends the request if it is past a limit. */
  check(nowUs: number): void
  cancel(): void
  close(): void
}

export interface LaneOptions {
  readonly habit: ServerHabit
  readonly transport: Transport
  /** The request line, and the fields that do not change, each with its line end. */
  readonly head: string
  readonly endpoint: Endpoint
  readonly shapes: Shapes
  readonly limits: Limits
  readonly clock: Clock
  readonly keepText: boolean
  readonly redact: (text: string) => string
  readonly meter: Meter
  /** The lane can take its next request. */
  readonly onFree: (lane: Lane) => void
}

const CONNECT_TIMEOUT_MS = 30_000
/** After the last event, how long the body's proper end may take before the record is handed on without it, and the connection given up. */
const END_GRACE_MS = 10
const DRAIN_MS = 1_000
/** Of an answer that is an HTTP error: how much is read, and how long it may take. */
const ERROR_BODY_BYTES = 4_096
const ERROR_BODY_US = 5e6
/**
 * An answer with so many times the events that bear a token, or so many more, as tokens were asked for is not waited for: a server that
 * ignores the limit may go on for an hour, and each event is kept.
 */
const MOST_TIMES = 4
const MOST_MORE = 256
/** Of any answer, also one whose length nobody asked for. */
const MOST_EVENTS = 1e6

export function createLane(options: LaneOptions): Lane {
  return new StreamLane(options)
}

/**
 * What is kept for each stream, from here to `EventSkimmer`, is in objects of classes and not in closures. Between two reads of one
 * stream come those of all others, so that all of it has left the processor's caches by then: a closure a method is a cache miss or two
 * for each call, fields that lie together are one for all. With 1 024 streams that is 2 µs an event instead of 6.
 */
class StreamLane implements Lane {
  readonly options: LaneOptions
  readonly reader: AnswerReader
  private readonly connection: Connection
  private running: Running | undefined

  constructor(options: LaneOptions) {
    const { transport, clock, habit, meter, endpoint, shapes, keepText } = options
    this.options = options
    this.reader = createAnswerReader({ endpoint, shapes, keepText })
    this.connection = createConnection({ transport, clock, habit, onRead: meter.onRead })
  }

  send(exchange: Exchange, onEnd: OnEnd): void {
    this.reader.reset(this.options.keepText || exchange.keepText)
    const request = new Running(this, exchange, onEnd)
    this.running = request
    const { id, body } = exchange
    const head = `${this.options.head}x-request-id: ${id}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
    this.connection.send(head, body, request)
  }

  check(nowUs: number): void {
    if (this.running === undefined) this.connection.sweep(nowUs)
    else this.running.check(nowUs)
  }

  cancel(): void {
    this.running?.cancel()
  }

  close(): void {
    this.connection.abort()
  }

  /** The connection is done with the request: it can take the next. */
  release(request: Running): void {
    if (this.running !== request) return
    this.running = undefined
    this.options.onFree(this)
  }
}

/** A request in progress. */
class Running implements ConnectionEvents {
  private readonly lane: StreamLane
  private readonly exchange: Exchange
  private readonly onRecord: OnEnd
  private readonly attemptUs: number
  /** Undefined: still queued or connecting. */
  private sentUs: number | undefined
  private readonly mostEvents: number
  private events = 0 // that bear a token
  private headersUs: number | undefined
  private firstByteUs: number | undefined
  /** Arrival of the event after which nothing counts. */
  private overUs: number | undefined
  private hasEnded = false
  private isHttpError = false
  private inflater: Inflater | undefined
  private connectMs: number | undefined
  private status: number | undefined
  private errorBody = ''
  private timer: NodeJS.Timeout | undefined

  constructor(lane: StreamLane, exchange: Exchange, onRecord: OnEnd) {
    this.lane = lane
    this.exchange = exchange
    this.onRecord = onRecord
    this.attemptUs = lane.options.clock.nowUs()
    const asked = exchange.askedOutputTokens
    this.mostEvents =
      asked === undefined ? MOST_EVENTS : Math.min(MOST_EVENTS, Math.max(MOST_TIMES * asked, asked + MOST_MORE))
  }

  onSent(connectMs: number | undefined): void {
    this.sentUs = this.lane.options.clock.nowUs()
    this.connectMs = connectMs
  }

  onHead({ status, fields }: ResponseHead): void {
    this.status = status
    this.isHttpError = status > 299
    this.headersUs = this.lane.options.meter.readUs()
    this.inflater = createInflater(fields.get('content-encoding'), (bytes, arrivalUs) => {
      if (this.hasEnded) return
      if (this.isHttpError) this.readError(bytes)
      else this.read(bytes, arrivalUs, 0, bytes.length)
    })
  }

  onBody(bytes: Uint8Array, from: number, end: number): void {
    const arrivalUs = this.lane.options.meter.readUs()
    this.firstByteUs ??= arrivalUs
    if (this.hasEnded) return
    if (this.inflater !== undefined) this.inflater.write(bytes.slice(from, end), arrivalUs)
    else if (this.isHttpError) this.readError(bytes.subarray(from, end))
    else this.read(bytes, arrivalUs, from, end)
  }

  onEnd(): void {
    this.finish('end')
  }

  onFail(error: Error): void {
    if (!(error instanceof ConnectFailure)) {
      this.finish(endingOf(error), error.message)
      return
    }
    this.fail(error.kind, error.message)
    this.release()
  }

  check(nowUs: number): void {
    if (this.hasEnded || this.overUs !== undefined) return
    const { attemptUs, sentUs = Number.POSITIVE_INFINITY, headersUs } = this
    const { firstTokenTimeoutMs, idleTimeoutMs, requestTimeoutMs } = this.lane.options.limits
    const lastTokenUs = this.lane.reader.lastTokenUs()
    const isPast = (sinceUs: number, limitMs: number | undefined): boolean =>
      limitMs !== undefined && nowUs - sinceUs > limitMs * 1e3
    if (isPast(attemptUs, requestTimeoutMs)) {
      this.timeOut(`The request took longer than ${requestTimeoutMs} ms.`)
    } else if (this.sentUs === undefined && isPast(attemptUs, CONNECT_TIMEOUT_MS)) {
      this.fail('connect', `No connection within ${CONNECT_TIMEOUT_MS} ms.`)
      this.abandon()
    } else if (lastTokenUs === undefined && isPast(sentUs, firstTokenTimeoutMs)) {
      this.timeOut(`No token came within ${firstTokenTimeoutMs} ms.`)
    } else if (lastTokenUs !== undefined && isPast(lastTokenUs, idleTimeoutMs)) {
      this.timeOut(`No further token came within ${idleTimeoutMs} ms.`)
    } else if (this.isHttpError && headersUs !== undefined && nowUs - headersUs > ERROR_BODY_US) {
      this.failHttp()
      this.abandon()
    }
  }

  cancel(): void {
    if (this.hasEnded) return
    if (this.overUs !== undefined) this.conclude('end')
    else this.end('cancelled', this.lane.reader.end('left'))
    this.abandon()
  }

  private read(bytes: Uint8Array, arrivalUs: number, from: number, end: number): void {
    const { reader, options } = this.lane
    const tokens = reader.feed(bytes, arrivalUs, from, end)
    if (tokens > 0) options.meter.onTokens(tokens)
    this.events += tokens
    if (this.events > this.mostEvents && this.isEndless()) {
      this.failEndless()
    } else if (this.overUs === undefined && reader.isOver()) {
      this.overUs = arrivalUs
      this.onOver()
    }
  }

  private readError(bytes: Uint8Array): void {
    this.errorBody += Buffer.from(bytes).toString('utf8', 0, ERROR_BODY_BYTES)
    if (this.errorBody.length < ERROR_BODY_BYTES) return
    this.failHttp()
    this.abandon()
  }

  /** Nothing more can change the record; a body that ends properly within moments leaves the connection fit for the next request. */
  private onOver(): void {
    this.timer = setTimeout(() => {
      this.conclude('end')
      this.timer = setTimeout(() => this.abandon(), DRAIN_MS)
    }, END_GRACE_MS)
  }

  private finish(how: Ending, detail?: string): void {
    const { inflater } = this
    if (inflater === undefined || this.hasEnded) {
      this.conclude(how, detail)
      this.release()
      return
    }
    inflater.end((error) => {
      this.conclude(error === undefined ? how : 'closed', error?.message ?? detail)
      this.release()
    })
  }

  /** The body came to its end, in whatever way. */
  private conclude(how: Ending, detail?: string): void {
    if (this.hasEnded) return
    if (this.isHttpError) {
      this.failHttp()
      return
    }
    const answer = this.lane.reader.end(how)
    const { fault } = answer
    const isCut = fault?.kind === 'truncated' && detail !== undefined
    this.end(
      fault === undefined ? 'ok' : 'failed',
      answer,
      isCut ? { ...fault, message: `${fault.message} ${detail}` } : fault,
    )
  }

  private timeOut(message: string): void {
    if (this.isHttpError) this.failHttp()
    else this.fail('timeout', message)
    this.abandon()
  }

  private failHttp(): void {
    this.fail('http', `HTTP ${this.status}. ${readErrorBody(this.errorBody)}`.trim())
  }

  /** Each choice of somebody's own body may be as long as was asked for. */
  private isEndless(): boolean {
    return this.events > Math.min(MOST_EVENTS, this.mostEvents * this.lane.reader.choicesSoFar())
  }

  private failEndless(): void {
    const { askedOutputTokens: asked } = this.exchange
    const wanted = asked === undefined ? '' : `${asked} tokens were asked for, and `
    this.fail('server', `The answer ran on: ${wanted}${this.events} events with tokens had come.`)
    this.abandon()
  }

  private fail(kind: ErrorKind, message: string): void {
    this.end('failed', this.lane.reader.end('left'), { kind, message })
  }

  /** Ends the record; the connection may have some way to go still. */
  private end(outcome: Outcome, answer: Answer, error?: Omit<RequestFault, 'status'>): void {
    if (this.hasEnded) return
    this.hasEnded = true
    clearTimeout(this.timer)
    const { clock, meter, redact } = this.lane.options
    const { exchange, attemptUs, sentUs, connectMs, firstByteUs, overUs, status } = this
    const failure = error && {
      kind: error.kind,
      message: redact(error.message),
      ...(error.kind === 'http' && status !== undefined && { status }),
    }
    const record = recordOf(exchange, answer, {
      sentUs: sentUs ?? attemptUs,
      connectMs,
      firstByteUs,
      endUs: overUs ?? clock.nowUs(),
      outcome,
      error: failure,
    })
    const { text, reasoningText, otherText, events } = answer
    const seen = {
      events,
      ...(text !== undefined && { text }),
      ...(reasoningText !== undefined && { reasoningText }),
      ...(otherText !== undefined && { otherText }),
    }
    meter.onEnd()
    // Not from inside the HTTP parser, which would swallow what the callback throws.
    queueMicrotask(() => this.onRecord(record, seen))
  }

  private release(): void {
    clearTimeout(this.timer)
    this.lane.release(this)
  }

  /** Reads no further: the connection goes, the lane is free. */
  private abandon(): void {
    this.lane.close()
    this.release()
  }
}
