import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { figure, type GeneratorLoad, TwospeedError } from '../core/index.ts'
import { type Calibration, trustIn, workersFor } from './calibrate/calibration.ts'
import { readCalibration } from './calibrate/calibration-file.ts'
import { type Clock, createClock } from './clock.ts'
import { limitsOf } from './header.ts'
import type { Client } from './http/client.ts'
import type { TransportOptions } from './http/transport.ts'
import type { MeasureOptions, Progress } from './options.ts'
import type { Watched } from './point/health.ts'
import { type Credentials, createCredentials } from './target/credentials.ts'
import { createRedactor, type Redact } from './target/redact.ts'
import { type Address, parseTarget } from './target/target.ts'
import { type CrewOptions, createCrew, hasWorkers } from './workers/crew.ts'

/** Why a run ends before its time; the word stands among the reasons of the point it ends in. */
export type Halt = 'interrupted' | 'timeLimit' | 'recordsNotWritten' | 'clientFailed'

/** Node fires a longer timer at once. 24 days end no run that anybody waits for. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A target, the client that speaks with it, and what can end the talk. */
export interface Session {
  readonly address: Address
  readonly credentials: Credentials
  readonly redact: Redact
  readonly clock: Clock
  readonly client: Client & Watched
  /** Aborts when the run is halted; its reason is what to throw where nothing was measured yet. */
  readonly signal: AbortSignal
  halt(why: Halt): void
  haltedBy(): Halt | undefined
  /** Request ids of this run begin like this, so that a server's log can tell runs apart. */
  readonly idPrefix: string
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
  const calibration = readCalibration()
  const crew = createCrew({
    client: {
      origin,
      path: `${pathname}${search}`,
      endpoint: address.endpoint,
      headers: credentials.headers,
      limits: {
        firstTokenTimeoutMs: limits.firstTokenTimeoutS * 1000,
        idleTimeoutMs: limits.idleTimeoutS * 1000,
        requestTimeoutMs: limits.requestTimeoutS * 1000,
      },
      ...(options.transport !== undefined && { transport: plainTransport(options.transport) }),
    },
    clock,
    secrets: credentials.secrets,
    workers: options.workers ?? usualWorkers(calibration),
    ...(options.busyPoll !== undefined && { busyPoll: options.busyPoll }),
    onCrash: (error) => {
      crash ??= error
      halt('clientFailed')
      tell({ kind: 'allFailed', error })
    },
  })
  const halted = new AbortController()
  let haltedBy: Halt | undefined
  let crash: TwospeedError | undefined
  const halt = (why: Halt): void => {
    haltedBy ??= why
    halted.abort(why === 'interrupted' ? options.signal?.reason : (crash ?? TIME_LIMIT))
  }
  const interrupt = (): void => halt('interrupted')
  options.signal?.addEventListener('abort', interrupt, { once: true })
  if (options.signal?.aborted === true) interrupt()
  const timer =
    options.timeLimitS === undefined
      ? undefined
      : setTimeout(() => halt('timeLimit'), Math.min(options.timeLimitS * 1000, LONGEST_TIMER_MS))
  // Of a client that failed nothing else explains anything.
  const tell = (progress: Progress): void =>
    options.onProgress?.(
      progress.kind === 'allFailed' && crash !== undefined ? { ...progress, error: crash } : progress,
    )
  const note = (text: string): void => tell({ kind: 'note', text: redact(text) })
  const trust: Watched['trust'] = (asked) => {
    const found = calibration === undefined ? undefined : trustIn(calibration, crew.workers(), asked)
    if (found?.calibration.beyond === true) note(beyond(found))
    return found ?? {}
  }
  const idPrefix = randomBytes(3).toString('hex')
  return {
    address,
    credentials,
    redact,
    clock,
    client: { ...crew, ...(calibration !== undefined && { trust }) },
    signal: halted.signal,
    halt,
    haltedBy: () => haltedBy,
    idPrefix,
    tell,
    note,
    async close() {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', interrupt)
      await crew.close()
    },
  }
}

/** No more threads than this machine has cores beside the one that sends; what runs from source has none. */
function usualWorkers(calibration: Calibration | undefined): CrewOptions['workers'] {
  const most = Math.max(1, availableParallelism() - 1)
  return hasWorkers() ? (load) => workersFor(load, calibration, most) : 0
}

/** What can cross to another thread: of the environment a copy. */
const plainTransport = ({ environment, ...transport }: TransportOptions): TransportOptions => ({
  ...transport,
  ...(environment !== undefined && { environment: { ...environment } }),
})

function beyond({ calibration, errorMs }: NonNullable<ReturnType<typeof trustIn>>): string {
  const { trusted, asked } = calibration
  const loadOf = ({ streams, eventsPerSecond }: GeneratorLoad): string =>
    `${figure(eventsPerSecond)} events/s over ${figure(streams)} streams`
  return (
    `this point had ${loadOf(asked)}; by its calibration this client is trusted with ${loadOf(trusted)}: ` +
    `first tokens may be told ${figure(errorMs.ttft)} ms late, gaps ${figure(errorMs.itl)} ms wrong (p99)`
  )
}
