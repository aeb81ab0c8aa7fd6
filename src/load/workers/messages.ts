import type { RequestRecord } from '../../core/index.ts'
import type { ClockOrigin } from '../clock.ts'
import type { ClientOptions } from '../http/client.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Seen } from '../http/lane.ts'

/** What a client is told that can cross to another thread: data, no calls. */
export type PlainClientOptions = Omit<ClientOptions, 'clock' | 'redact' | 'isSpare'>

/** What a worker is born with. */
export interface Setup {
  readonly client: PlainClientOptions
  readonly clock: ClockOrigin
  /** What must never stand in a message that is kept. */
  readonly secrets: readonly string[]
  /** See `vitals.ts`. */
  readonly vitals: SharedArrayBuffer
}

/** To a worker, all those of one turn of the event loop in one message. `key` is the request's number. */
export type Command =
  | { readonly kind: 'send'; readonly key: number; readonly exchange: Exchange }
  | { readonly kind: 'cancel'; readonly key: number }
  /** Its lag is told from now on. */
  | { readonly kind: 'beginLag' }
  | { readonly kind: 'close' }

/** From a worker: a request has ended. One message holds all those of one turn. */
export interface Ended {
  readonly key: number
  readonly record: RequestRecord
  readonly seen: Seen
}
