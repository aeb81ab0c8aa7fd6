import type { ErrorKind, Outcome, RequestFault, RequestRecord } from '../core/index.ts'
import {
  type Answer,
  createAnswerReader,
  type Ending,
  type Endpoint,
  readErrorBody,
  type Shapes,
} from '../wire/index.ts'
import type { Clock } from './clock.ts'
import { type ConnectionEvents, createConnection, type ServerHabit } from './connection.ts'
import { type Exchange, recordOf } from './exchange.ts'
import { ConnectFailure, endingOf } from './failure.ts'
import { createInflater, type Inflater } from './inflate.ts'
import type { Meter } from './meter.ts'
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

/** A request in progress. `sentUs` undefined: still queued or connecting. */
interface Running {
  readonly exchange: Exchange
  readonly onEnd: OnEnd
  readonly attemptUs: number
  sentUs?: number
  connectMs?: number
  headersUs?: number
  status?: number
  isHttpError: boolean
  firstByteUs?: number
  /** Arrival of the event after which nothing counts. */
  overUs?: number
  errorBody: string
  inflater?: Inflater
  timer?: NodeJS.Timeout
  hasEnded: boolean
}

export function createLane(options: LaneOptions): Lane {
  const { transport, clock, limits, meter, redact } = options
  const reader = createAnswerReader({
    endpoint: options.endpoint,
    shapes: options.shapes,
    keepText: options.keepText,
  })
  const connection = createConnection({ transport, clock, habit: options.habit, onRead: meter.onRead })
  let running: Running | undefined

  /** Ends the record; the connection may have some way to go still. */
  const end = (request: Running, outcome: Outcome, answer: Answer, error?: Omit<RequestFault, 'status'>): void => {
    if (request.hasEnded) return
    request.hasEnded = true
    clearTimeout(request.timer)
    const { exchange, attemptUs, sentUs, overUs, status } = request
    const failure = error && {
      kind: error.kind,
      message: redact(error.message),
      ...(error.kind === 'http' && status !== undefined && { status }),
    }
    const record = recordOf(exchange, answer, {
      sentUs: sentUs ?? attemptUs,
      connectMs: request.connectMs,
      firstByteUs: request.firstByteUs,
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
    queueMicrotask(() => request.onEnd(record, seen))
  }

  const fail = (request: Running, kind: ErrorKind, message: string): void =>
    end(request, 'failed', reader.end('left'), { kind, message })

  const failHttp = (request: Running): void =>
    fail(request, 'http', `HTTP ${request.status}. ${readErrorBody(request.errorBody)}`.trim())

  /** The body came to its end, in whatever way. */
  const conclude = (request: Running, how: Ending, detail?: string): void => {
    if (request.hasEnded) return
    if (request.isHttpError) {
      failHttp(request)
      return
    }
    const answer = reader.end(how)
    const { fault } = answer
    const isCut = fault?.kind === 'truncated' && detail !== undefined
    end(
      request,
      fault === undefined ? 'ok' : 'failed',
      answer,
      isCut ? { ...fault, message: `${fault.message} ${detail}` } : fault,
    )
  }

  /** The connection is done with the request: it can take the next. */
  const release = (request: Running): void => {
    clearTimeout(request.timer)
    if (running !== request) return
    running = undefined
    options.onFree(lane)
  }

  /** Reads no further: the connection goes, the lane is free. */
  const abandon = (request: Running): void => {
    connection.abort()
    release(request)
  }

  /** Nothing more can change the record; a body that ends properly within moments leaves the connection fit for the next request. */
  const onOver = (request: Running): void => {
    request.timer = setTimeout(() => {
      conclude(request, 'end')
      request.timer = setTimeout(() => abandon(request), DRAIN_MS)
    }, END_GRACE_MS)
  }

  const read = (request: Running, bytes: Uint8Array, arrivalUs: number, from: number, end: number): void => {
    const tokens = reader.feed(bytes, arrivalUs, from, end)
    if (tokens > 0) meter.onTokens(tokens)
    if (request.overUs === undefined && reader.isOver()) {
      request.overUs = arrivalUs
      onOver(request)
    }
  }

  const readError = (request: Running, bytes: Uint8Array): void => {
    request.errorBody += Buffer.from(bytes).toString('utf8', 0, ERROR_BODY_BYTES)
    if (request.errorBody.length < ERROR_BODY_BYTES) return
    failHttp(request)
    abandon(request)
  }

  const eventsOf = (request: Running): ConnectionEvents => ({
    onSent(connectMs) {
      request.sentUs = clock.nowUs()
      if (connectMs !== undefined) request.connectMs = connectMs
    },
    onHead({ status, fields }) {
      request.status = status
      request.isHttpError = status > 299
      request.headersUs = meter.readUs()
      const inflater = createInflater(fields.get('content-encoding'), (bytes, arrivalUs) => {
        if (request.hasEnded) return
        if (request.isHttpError) readError(request, bytes)
        else read(request, bytes, arrivalUs, 0, bytes.length)
      })
      if (inflater !== undefined) request.inflater = inflater
    },
    onBody(bytes, from, end) {
      const arrivalUs = meter.readUs()
      request.firstByteUs ??= arrivalUs
      if (request.hasEnded) return
      if (request.inflater !== undefined) request.inflater.write(bytes.slice(from, end), arrivalUs)
      else if (request.isHttpError) readError(request, bytes.subarray(from, end))
      else read(request, bytes, arrivalUs, from, end)
    },
    onEnd: () => finish(request, 'end'),
    onFail(error) {
      if (!(error instanceof ConnectFailure)) {
        finish(request, endingOf(error), error.message)
        return
      }
      fail(request, error.kind, error.message)
      release(request)
    },
  })

  const finish = (request: Running, how: Ending, detail?: string): void => {
    const { inflater } = request
    if (inflater === undefined || request.hasEnded) {
      conclude(request, how, detail)
      release(request)
      return
    }
    inflater.end((error) => {
      conclude(request, error === undefined ? how : 'closed', error?.message ?? detail)
      release(request)
    })
  }

  const timeOut = (request: Running, message: string): void => {
    if (request.isHttpError) failHttp(request)
    else fail(request, 'timeout', message)
    abandon(request)
  }

  const headOf = ({ id, body }: Exchange): string =>
    `${options.head}x-request-id: ${id}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`

  const lane: Lane = {
    send(exchange, onEnd) {
      reader.reset(options.keepText || exchange.keepText)
      const request: Running = {
        exchange,
        onEnd,
        attemptUs: clock.nowUs(),
        errorBody: '',
        isHttpError: false,
        hasEnded: false,
      }
      running = request
      connection.send(headOf(exchange), exchange.body, eventsOf(request))
    },
    check(nowUs) {
      const request = running
      if (request === undefined) connection.sweep(nowUs)
      if (request === undefined || request.hasEnded || request.overUs !== undefined) return
      const { sentUs = Number.POSITIVE_INFINITY, headersUs } = request
      const { firstTokenTimeoutMs, idleTimeoutMs, requestTimeoutMs } = limits
      const lastTokenUs = reader.lastTokenUs()
      const isPast = (sinceUs: number, limitMs: number | undefined): boolean =>
        limitMs !== undefined && nowUs - sinceUs > limitMs * 1e3
      if (isPast(request.attemptUs, requestTimeoutMs)) {
        timeOut(request, `The request took longer than ${requestTimeoutMs} ms.`)
      } else if (request.sentUs === undefined && isPast(request.attemptUs, CONNECT_TIMEOUT_MS)) {
        fail(request, 'connect', `No connection within ${CONNECT_TIMEOUT_MS} ms.`)
        abandon(request)
      } else if (lastTokenUs === undefined && isPast(sentUs, firstTokenTimeoutMs)) {
        timeOut(request, `No token came within ${firstTokenTimeoutMs} ms.`)
      } else if (lastTokenUs !== undefined && isPast(lastTokenUs, idleTimeoutMs)) {
        timeOut(request, `No further token came within ${idleTimeoutMs} ms.`)
      } else if (request.isHttpError && headersUs !== undefined && nowUs - headersUs > ERROR_BODY_US) {
        failHttp(request)
        abandon(request)
      }
    },
    cancel() {
      const request = running
      if (request === undefined || request.hasEnded) return
      if (request.overUs !== undefined) conclude(request, 'end')
      else end(request, 'cancelled', reader.end('left'))
      abandon(request)
    },
    close: connection.abort,
  }
  return lane
}
