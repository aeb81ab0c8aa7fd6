import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { ConnectFailure, NOT_HTTP } from './failure.ts'
import { createResponseReader, type ResponseEvents, type ResponseHead } from './response-reader.ts'
import type { Link, LinkEvents, Transport } from './transport.ts'

/** What becomes of a request on a connection: it is sent, its answer has a head and a body, and then an end or a failure. */
export interface ConnectionEvents {
  /** Its first byte is about to be written. `connectMs`: what was paid for a new connection before. */
  onSent(connectMs: number | undefined): void
  onHead(head: ResponseHead): void
  /** The bytes from `from` up to `end` are of the body. They are valid during the call. */
  onBody(bytes: Uint8Array, from: number, end: number): void
  onEnd(): void
  /** A ConnectFailure where it was not sent. */
  onFail(error: Error): void
}

/** One connection to the target, opened when it is needed and kept from one request to the next. */
export interface Connection {
  /** One request at a time: not before the last has ended, failed, or been aborted. */
  send(head: string, body: string | Uint8Array, events: ConnectionEvents): void
  /** Drops the connection, and the request on it without a word. */
  abort(): void
  /** Closes a connection that has been idle too long. */
  sweep(nowUs: number): void
}

/**
 * What the server was seen to do with a connection that it promised to keep. Some hang up after each answer all the same (cpp-httplib,
 * hence llama-server, within tens of microseconds): a request written meanwhile would be lost, and none is ever sent twice.
 */
export interface ServerHabit {
  hangsUp: boolean
}

export interface ConnectionOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** Shared by the connections to one server. */
  readonly habit: ServerHabit
  /** A read arrived; called before anything looks at its bytes. */
  readonly onRead: () => void
}

/**
 * A connection that has been idle for longer is closed, sooner than any known server does it (gunicorn 2 s, uvicorn and Node 5 s): a
 * request written as the server hangs up would fail by no fault of either. A server's own hint (`keep-alive: timeout=`) goes first.
 */
const IDLE_MS = 1_500
const HINT_MARGIN_MS = 1_000
/** A connection that is still open so long after its first answer is taken for one that stays. */
const PROOF_MS = 5
/** A close so soon after an answer is a habit; a later one is a limit on idle time. */
const HANG_UP_MS = 100

export function createConnection(options: ConnectionOptions): Connection {
  return new KeptConnection(options)
}

class KeptConnection implements Connection, ResponseEvents {
  private opening: Opening | undefined // what stands, or is being made
  private events: ConnectionEvents | undefined // of the request in progress
  private waiting: ConnectionEvents | undefined // of a request that is not written yet
  private isReusable = false
  private hasStayed = false
  private idleSinceUs = 0
  private idleMs = IDLE_MS
  private readonly reader = createResponseReader(this)
  private readonly options: ConnectionOptions

  constructor(options: ConnectionOptions) {
    this.options = options
  }

  send(head: string, body: string | Uint8Array, next: ConnectionEvents): void {
    if (!this.isReusable || this.isIdleTooLong(this.options.clock.nowUs())) {
      this.drop()
      this.events = next
      this.open(head, body)
      return
    }
    this.waiting = next
    // Once round the event loop, the first time a little longer: a server that has hung up meanwhile is heard before it is written to.
    const kept = this.opening
    const go = (): void => {
      if (this.waiting !== next) return
      this.waiting = undefined
      this.events = next
      if (kept?.socket !== undefined && this.opening === kept) {
        this.hasStayed = true
        this.write(kept.socket, head, body)
      } else {
        this.open(head, body)
      }
    }
    if (this.hasStayed) setImmediate(go)
    else setTimeout(go, PROOF_MS)
  }

  abort(): void {
    this.events = undefined
    this.waiting = undefined
    this.drop()
  }

  sweep(nowUs: number): void {
    if (this.events === undefined && this.waiting === undefined && this.isReusable && this.isIdleTooLong(nowUs))
      this.drop()
  }

  opened(opening: Opening, socket: Socket, head: string, body: string | Uint8Array): void {
    if (this.opening !== opening) return
    this.write(socket, head, body, (this.options.clock.nowUs() - opening.startUs) / 1e3)
  }

  read(opening: Opening, bytes: Uint8Array, end: number): void {
    this.options.onRead()
    if (this.opening !== opening) return
    // Bytes that nobody asked for: the connection is out of step.
    const fault = this.events === undefined ? 'It was not asked for.' : this.reader.feed(bytes, end)
    if (fault !== undefined) this.fail(new Error(`${NOT_HTTP} ${fault}`))
  }

  closed(opening: Opening): void {
    if (this.opening !== opening) return
    const { clock, habit } = this.options
    if (this.events === undefined) {
      if (clock.nowUs() - this.idleSinceUs < HANG_UP_MS * 1e3) habit.hangsUp = true
      this.drop()
    } else if (!this.reader.close()) {
      this.fail(new Error('The server closed it.'))
    }
  }

  broken(opening: Opening, error: Error, isOpen: boolean): void {
    if (this.opening !== opening) return
    this.fail(isOpen ? error : new ConnectFailure(error, this.options.transport.isSecure))
  }

  onHead(head: ResponseHead): void {
    const hint = /timeout=(\d+)/i.exec(head.fields.get('keep-alive') ?? '')?.[1]
    this.idleMs = Math.min(IDLE_MS, hint === undefined ? IDLE_MS : Number(hint) * 1e3 - HINT_MARGIN_MS)
    this.events?.onHead(head)
  }

  onBody(bytes: Uint8Array, from: number, end: number): void {
    this.events?.onBody(bytes, from, end)
  }

  onEnd(keepsAlive: boolean): void {
    const { clock, habit } = this.options
    const socket = this.opening?.socket
    // An answer may come before its request is written to the end.
    if (keepsAlive && !habit.hangsUp && this.idleMs > 0 && socket?.writableLength === 0) {
      this.isReusable = true
      this.idleSinceUs = clock.nowUs()
      socket.unref()
    } else {
      this.drop()
    }
    this.finished()?.onEnd()
  }

  private isIdleTooLong(nowUs: number): boolean {
    return nowUs - this.idleSinceUs > this.idleMs * 1e3
  }

  private open(head: string, body: string | Uint8Array): void {
    const { transport, clock } = this.options
    const opening = new Opening(this, clock.nowUs(), head, body)
    this.opening = opening
    opening.link = transport.open(opening)
  }

  private write(to: Socket, head: string, body: string | Uint8Array, connectMs?: number): void {
    this.reader.reset()
    this.isReusable = false
    to.ref()
    to.cork()
    this.events?.onSent(connectMs)
    to.write(head, 'latin1')
    to.write(body)
    to.uncork()
  }

  private drop(): void {
    const old = this.opening
    this.opening = undefined
    this.isReusable = false
    this.hasStayed = false
    old?.link?.close()
  }

  private finished(): ConnectionEvents | undefined {
    const { events } = this
    this.events = undefined
    return events
  }

  private fail(error: Error): void {
    this.drop()
    this.finished()?.onFail(error)
  }
}

/** One socket's life. What it tells is of no interest once the connection has let go of it. */
class Opening implements LinkEvents {
  readonly startUs: number
  socket: Socket | undefined // once it is open
  link: Link | undefined
  private readonly connection: KeptConnection
  // Of the request that it was opened for.
  private head: string
  private body: string | Uint8Array

  constructor(connection: KeptConnection, startUs: number, head: string, body: string | Uint8Array) {
    this.connection = connection
    this.startUs = startUs
    this.head = head
    this.body = body
  }

  onOpen(socket: Socket): void {
    this.socket = socket
    this.connection.opened(this, socket, this.head, this.body)
    this.head = ''
    this.body = ''
  }

  onBytes(bytes: Uint8Array, end: number): void {
    this.connection.read(this, bytes, end)
  }

  onClose(): void {
    this.connection.closed(this)
  }

  onError(error: Error, isOpen: boolean): void {
    this.connection.broken(this, error, isOpen)
  }
}
