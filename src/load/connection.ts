import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import { ConnectFailure } from './failure.ts'
import { createResponseReader, type ResponseHead } from './response-reader.ts'
import type { Link, Transport } from './transport.ts'

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

export interface ConnectionOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** A read arrived; called before anything looks at its bytes. */
  readonly onRead: () => void
}

/**
 * A connection that has been idle for longer is closed, sooner than any known server does it (gunicorn 2 s, uvicorn and Node 5 s): a
 * request written as the server hangs up would fail by no fault of either. A server's own hint (`keep-alive: timeout=`) goes first.
 */
const IDLE_MS = 1_500
const HINT_MARGIN_MS = 1_000

export function createConnection({ transport, clock, onRead }: ConnectionOptions): Connection {
  let link: Link | undefined
  let socket: Socket | undefined // of the link, once it is open
  let events: ConnectionEvents | undefined // of the request in progress
  let isReusable = false
  let idleSinceUs = 0
  let idleMs = IDLE_MS

  const drop = (): void => {
    const old = link
    link = undefined
    socket = undefined
    isReusable = false
    old?.close()
  }

  const finished = (): ConnectionEvents | undefined => {
    const of = events
    events = undefined
    return of
  }

  const fail = (error: Error): void => {
    drop()
    finished()?.onFail(error)
  }

  const reader = createResponseReader({
    onHead(head) {
      const hint = /timeout=(\d+)/i.exec(head.fields.get('keep-alive') ?? '')?.[1]
      idleMs = Math.min(IDLE_MS, hint === undefined ? IDLE_MS : Number(hint) * 1e3 - HINT_MARGIN_MS)
      events?.onHead(head)
    },
    onBody: (bytes, from, end) => events?.onBody(bytes, from, end),
    onEnd(keepsAlive) {
      // An answer may come before its request is written to the end.
      if (keepsAlive && idleMs > 0 && socket?.writableLength === 0) {
        isReusable = true
        idleSinceUs = clock.nowUs()
        socket.unref()
      } else {
        drop()
      }
      finished()?.onEnd()
    },
  })

  const write = (to: Socket, head: string, body: string | Uint8Array, connectMs?: number): void => {
    reader.reset()
    isReusable = false
    to.ref()
    to.cork()
    events?.onSent(connectMs)
    to.write(head, 'latin1')
    to.write(body)
    to.uncork()
  }

  const open = (head: string, body: string | Uint8Array): void => {
    const startUs = clock.nowUs()
    const opening = transport.open({
      onOpen(opened) {
        if (link !== opening) return
        socket = opened
        write(opened, head, body, (clock.nowUs() - startUs) / 1e3)
      },
      onBytes(bytes, end) {
        onRead()
        if (link !== opening) return
        // Bytes that nobody asked for: the connection is out of step.
        const fault = events === undefined ? 'It was not asked for.' : reader.feed(bytes, end)
        if (fault !== undefined) fail(new Error(`It is no HTTP/1.1 answer. ${fault}`))
      },
      onClose() {
        if (link === opening && (events === undefined || !reader.close())) fail(new Error('The server closed it.'))
      },
      onError(error, isOpen) {
        if (link === opening) fail(isOpen ? error : new ConnectFailure(error, transport.isSecure))
      },
    })
    link = opening
  }

  return {
    send(head, body, next) {
      events = next
      if (!isReusable || clock.nowUs() - idleSinceUs > idleMs * 1e3) {
        drop()
        open(head, body)
        return
      }
      // Once round the event loop: a server that has hung up meanwhile is heard before anything is written to it.
      const kept = socket
      setImmediate(() => {
        if (events !== next) return
        if (kept !== undefined && socket === kept) write(kept, head, body)
        else open(head, body)
      })
    },
    abort() {
      events = undefined
      drop()
    },
    sweep(nowUs) {
      if (events === undefined && isReusable && nowUs - idleSinceUs > idleMs * 1e3) drop()
    },
  }
}
