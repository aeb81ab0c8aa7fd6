import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import { ConnectFailure, NOT_HTTP } from './failure.ts'
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

export function createConnection({ transport, clock, habit, onRead }: ConnectionOptions): Connection {
  let link: Link | undefined
  let socket: Socket | undefined // of the link, once it is open
  let events: ConnectionEvents | undefined // of the request in progress
  let waiting: ConnectionEvents | undefined // of a request that is not written yet
  let isReusable = false
  let hasStayed = false
  let idleSinceUs = 0
  let idleMs = IDLE_MS

  const drop = (): void => {
    const old = link
    link = undefined
    socket = undefined
    isReusable = false
    hasStayed = false
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
      if (keepsAlive && !habit.hangsUp && idleMs > 0 && socket?.writableLength === 0) {
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
        if (fault !== undefined) fail(new Error(`${NOT_HTTP} ${fault}`))
      },
      onClose() {
        const isIdle = link === opening && events === undefined
        if (isIdle && clock.nowUs() - idleSinceUs < HANG_UP_MS * 1e3) habit.hangsUp = true
        if (isIdle) drop()
        else if (link === opening && !reader.close()) fail(new Error('The server closed it.'))
      },
      onError(error, isOpen) {
        if (link === opening) fail(isOpen ? error : new ConnectFailure(error, transport.isSecure))
      },
    })
    link = opening
  }

  return {
    send(head, body, next) {
      if (!isReusable || clock.nowUs() - idleSinceUs > idleMs * 1e3) {
        drop()
        events = next
        open(head, body)
        return
      }
      waiting = next
      // Once round the event loop, the first time a little longer: a server that has hung up meanwhile is heard before it is written to.
      const kept = socket
      const go = (): void => {
        if (waiting !== next) return
        waiting = undefined
        events = next
        if (kept !== undefined && socket === kept) {
          hasStayed = true
          write(kept, head, body)
        } else {
          open(head, body)
        }
      }
      if (hasStayed) setImmediate(go)
      else setTimeout(go, PROOF_MS)
    },
    abort() {
      events = undefined
      waiting = undefined
      drop()
    },
    sweep(nowUs) {
      if (events === undefined && waiting === undefined && isReusable && nowUs - idleSinceUs > idleMs * 1e3) drop()
    },
  }
}
