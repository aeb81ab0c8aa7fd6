import { createShapes, type Endpoint } from '../../wire/index.ts'
import type { Clock } from '../clock.ts'
import type { Exchange } from './exchange.ts'
import { createLane, type Lane, type Limits, type OnEnd } from './lane.ts'
import { type Counters, createMeter, loopIdleMs } from './meter.ts'
import { headOf } from './request-head.ts'
import { createTransport, type TransportOptions } from './transport.ts'
import { createVigil } from './vigil.ts'

export type { Exchange } from './exchange.ts'
export type { Limits, OnEnd, Seen } from './lane.ts'
export type { Counters } from './meter.ts'

export interface ClientOptions {
  /** `https://host:port`. */
  readonly origin: string
  /** Of the endpoint, with its query. */
  readonly path: string
  readonly endpoint: Endpoint
  readonly clock: Clock
  /** Beside content-type, accept and x-request-id, which are set here. */
  readonly headers?: Readonly<Record<string, string>>
  readonly limits?: Limits
  readonly transport?: TransportOptions
  /** For a preflight or a test; a measurement keeps no text. */
  readonly keepText?: boolean
  /** Whether a core has nothing else to do than to wait for answers; absent: it never has. See `Vigil`. */
  readonly isSpare?: () => boolean
  /** Takes what is secret out of a message that is about to be kept. */
  readonly redact?: (text: string) => string
}

export interface Client {
  /**
   * Sends one streamed request. `onEnd` is called once, with its record, whatever becomes of it: a failure is a record, not a throw.
   * Returns what cancels it: the record then ends as `cancelled`, unless the answer was already over.
   */
  send(exchange: Exchange, onEnd: OnEnd): () => void
  counters(): Counters
  /** See `Meter`. */
  lateReads(): Float64Array
  /** For how long, so far, its thread was awake with nothing to do. */
  awakeIdleMs(): number
  /** Cancels what is in flight and closes every connection. */
  close(): Promise<void>
}

const BASE_HEADERS = {
  'content-type': 'application/json',
  accept: 'text/event-stream',
  // Compression delays and costs on both sides; an answer that is compressed all the same is decoded.
  'accept-encoding': 'identity',
}

/** One connection a stream, as many as there are streams, each kept for the next request: no cap, no redirect, no retry. */
export function createClient(options: ClientOptions): Client {
  const { clock, limits = {}, headers = {} } = options
  const transport = createTransport(options.origin, options.transport)
  const head = headOf(`POST ${transport.pathPrefix}${options.path} HTTP/1.1`, {
    ...transport.fields,
    ...BASE_HEADERS,
    ...lowerCased(headers),
  })
  const { isSpare } = options
  const vigil = isSpare && createVigil(() => meter.counters().active, isSpare)
  const meter = createMeter(clock, vigil && (() => loopIdleMs() + vigil.idleMs()))
  const shapes = createShapes(options.endpoint)
  const habit = { hangsUp: false }
  const idle: Lane[] = []
  const lanes = new Set<Lane>()

  const openLane = (): Lane => {
    const lane = createLane({
      transport,
      head,
      endpoint: options.endpoint,
      shapes,
      habit,
      limits,
      clock,
      keepText: options.keepText ?? false,
      redact: options.redact ?? ((text) => text),
      meter,
      // Last in, first out: the connection used last is the least likely to have been closed.
      onFree: (free) => idle.push(free),
    })
    lanes.add(lane)
    return lane
  }

  // One timer for all requests. A limit is judged only after the sockets were read, and by a tick that was late itself only if the one
  // before was too: a client that was busy must not take for silence what lay waiting for it.
  const tickMs = tickOf(limits)
  let lastTickUs = clock.nowUs()
  let wasLate = false
  const timer = setInterval(() => {
    const nowUs = clock.nowUs()
    const isLate = nowUs - lastTickUs > 2e3 * tickMs
    if (!isLate || wasLate) setImmediate(judge)
    wasLate = isLate && !wasLate
    lastTickUs = nowUs
  }, tickMs)
  const judge = (): void => {
    const nowUs = clock.nowUs()
    for (const lane of lanes) lane.check(nowUs)
  }
  timer.unref()

  return {
    send(exchange, onEnd) {
      const lane = idle.pop() ?? openLane()
      meter.onSend()
      vigil?.onSend()
      let hasEnded = false
      lane.send(exchange, (record, seen) => {
        hasEnded = true
        onEnd(record, seen)
      })
      return () => {
        if (!hasEnded) lane.cancel()
      }
    },
    counters: meter.counters,
    lateReads: meter.lateReads,
    awakeIdleMs: () => vigil?.idleMs() ?? 0,
    async close() {
      clearInterval(timer)
      for (const lane of lanes) lane.cancel()
      for (const lane of lanes) lane.close()
    },
  }
}

const lowerCased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Fine enough for the shortest limit, and no finer than it is worth. */
function tickOf({ firstTokenTimeoutMs, idleTimeoutMs, requestTimeoutMs }: Limits): number {
  const shortest = Math.min(...[firstTokenTimeoutMs, idleTimeoutMs, requestTimeoutMs].map((limit) => limit ?? 5_000))
  return Math.min(100, Math.max(5, shortest / 50))
}
