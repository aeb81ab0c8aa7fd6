import { randomBytes } from 'node:crypto'
import { type RequestRecord, TwospeedError } from '../core/index.ts'
import { type Client, createClient } from './client.ts'
import { type Clock, createClock } from './clock.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { limitsOf } from './header.ts'
import type { MeasureOptions, Progress } from './options.ts'
import { createRedactor, type Redact } from './redact.ts'
import { type Address, parseTarget } from './target.ts'

/** Why a run ends before its time; the word stands among the reasons of the point it ends in. */
export type Halt = 'interrupted' | 'timeLimit' | 'recordsNotWritten'

/** A target, the client that speaks with it, and what can end the talk. */
/** Node fires a longer timer at once. 24 days end no run that anybody waits for. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Session {
  readonly address: Address
  readonly credentials: Credentials
  readonly redact: Redact
  readonly clock: Clock
  readonly client: Client
  /** Aborts when the run is halted; its reason is what to throw where nothing was measured yet. */
  readonly signal: AbortSignal
  halt(why: Halt): void
  haltedBy(): Halt | undefined
  /** Request ids of this run begin like this, so that a server's log can tell runs apart. */
  readonly idPrefix: string
  /** Sends one unmeasured request; rejects when the run is halted. */
  probe(body: string): Promise<RequestRecord>
  tell(progress: Progress): void
  note(text: string): void
  close(): Promise<void>
}

const TIME_LIMIT = new TwospeedError(
  'NO_ANSWER',
  'The time limit passed before anything was measured.',
  'Give more with --time-limit.',
)

export function openSession(options: MeasureOptions): Session {
  const address = parseTarget(options.url, options.endpoint)
  const credentials = createCredentials(address, options.apiKey, options.headers)
  const redact = createRedactor(credentials.secrets)
  const clock = createClock()
  const limits = limitsOf(options)
  const { origin, pathname, search } = new URL(address.url)
  const client = createClient({
    origin,
    path: `${pathname}${search}`,
    endpoint: address.endpoint,
    clock,
    headers: credentials.headers,
    limits: {
      firstTokenTimeoutMs: limits.firstTokenTimeoutS * 1000,
      idleTimeoutMs: limits.idleTimeoutS * 1000,
      requestTimeoutMs: limits.requestTimeoutS * 1000,
    },
    ...(options.transport !== undefined && { transport: options.transport }),
    redact,
  })
  const halted = new AbortController()
  let haltedBy: Halt | undefined
  const halt = (why: Halt): void => {
    haltedBy ??= why
    halted.abort(why === 'interrupted' ? options.signal?.reason : TIME_LIMIT)
  }
  const interrupt = (): void => halt('interrupted')
  options.signal?.addEventListener('abort', interrupt, { once: true })
  if (options.signal?.aborted === true) interrupt()
  const timer =
    options.timeLimitS === undefined
      ? undefined
      : setTimeout(() => halt('timeLimit'), Math.min(options.timeLimitS * 1000, LONGEST_TIMER_MS))
  const tell = (progress: Progress): void => options.onProgress?.(progress)
  const idPrefix = randomBytes(3).toString('hex')
  let probes = 0
  return {
    address,
    credentials,
    redact,
    clock,
    client,
    signal: halted.signal,
    halt,
    haltedBy: () => haltedBy,
    idPrefix,
    probe: (body) =>
      new Promise((resolve, reject) => {
        const { signal } = halted
        if (signal.aborted) return reject(signal.reason)
        const cancel = client.send({ id: `${idPrefix}-preflight-${++probes}`, point: -1, body }, (record) => {
          signal.removeEventListener('abort', cancel)
          if (signal.aborted) reject(signal.reason)
          else resolve(record)
        })
        signal.addEventListener('abort', cancel, { once: true })
      }),
    tell,
    note: (text) => tell({ kind: 'note', text: redact(text) }),
    async close() {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', interrupt)
      await client.close()
    },
  }
}
