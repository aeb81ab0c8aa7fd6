import { existsSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { type GeneratorLoad, TwospeedError } from '../../core/index.ts'
import type { Clock } from '../clock.ts'
import { type Client, createClient } from '../http/client.ts'
import { createSpareCore } from '../http/vigil.ts'
import type { WatchedThread } from '../point/health.ts'
import { createRedactor } from '../target/redact.ts'
import type { PlainClientOptions } from './messages.ts'
import { createRemote, type Remote, WORKER_FILE } from './remote.ts'

/** A client whose connections lie in as many threads as it takes. The thread that made it keeps everything else: policy, bodies, records. */
export interface Crew extends Client {
  /** 0: this thread reads by itself. */
  workers(): number
  threads(): readonly WatchedThread[]
  streamS(): number
}

export interface CrewOptions {
  readonly client: PlainClientOptions
  readonly clock: Clock
  readonly secrets: readonly string[]
  /** A number from the start, or how many such a load takes: threads are added while it grows, never taken away. */
  readonly workers: number | ((load: GeneratorLoad) => number)
  /** Whether the thread that made it may stay awake where a core is spare (default true). */
  readonly busyPoll?: boolean
  /** A thread has ended by itself. What it had in flight ends as cancelled after this call. */
  readonly onCrash: (error: TwospeedError) => void
}

/** Whether threads can be had at all: what runs from source has none. */
export const hasWorkers = (): boolean => existsSync(WORKER_FILE)

/**
 * What V8 does for throughput costs latency where cores are few: its helper threads and the collection that it makes of an idle heap hold
 * up whole bursts of reads by several ms. A bigger nursery is collected less often, and most of what a client makes is dead by then.
 * These bear on threads that start later; each may be set while others run.
 */
const V8_FLAGS = ['--min-semi-space-size=16', '--no-parallel-scavenge', '--no-memory-reducer']

/** So much of the last answers says how fast streams are. */
const PACE_WEIGHT = 1 / 16

export function createCrew({ client: plain, clock, secrets, workers, busyPoll = true, onCrash }: CrewOptions): Crew {
  const here = createClient({
    ...plain,
    clock,
    redact: createRedactor(secrets),
    ...(busyPoll && { isSpare: createSpareCore() }),
  })
  const remotes: Remote[] = []
  let active = 0
  let streamUs = 0 // the integral of `active` over time
  let changedUs = clock.nowUs()
  let eventsPerStreamSecond = 0
  let freedLast: Remote | undefined

  const onWorkerCrash = (name: string, why: string): void =>
    onCrash(
      new TwospeedError(
        'BUG',
        `A thread of the load generator (${name}) ended by itself: ${why}`,
        'What was measured is kept, what was in flight there is cancelled. --workers 0 does without threads.',
      ),
    )

  const grow = (count: number): void => {
    if (remotes.length === 0 && count > 0) for (const flag of V8_FLAGS) setFlagsFromString(flag)
    while (remotes.length < count) {
      const name = `worker ${remotes.length + 1}`
      remotes.push(
        createRemote({
          name,
          setup: { client: plain, clock: { originNs: clock.originNs, wallIso: clock.wallIso }, secrets },
          clock,
          lateSteps: here.lateReads().length,
          onCrash: (why) => onWorkerCrash(name, why),
        }),
      )
    }
  }
  if (typeof workers === 'number') grow(workers)

  /**
   * The one with the fewest in flight, and of several the one whose request ended last. So every worker has the same number of streams
   * to within one, and a user who asks again when an answer ends stays where the connection is.
   */
  const chosen = (): Remote | undefined => {
    let best: Remote | undefined
    for (const one of remotes) {
      if (!one.isAlive()) continue
      const fewer = best === undefined || one.inFlight() < best.inFlight()
      if (fewer || (one === freedLast && one.inFlight() === best?.inFlight())) best = one
    }
    return best
  }

  const streamUsNow = (): number => {
    const nowUs = clock.nowUs()
    streamUs += active * (nowUs - changedUs)
    changedUs = nowUs
    return streamUs
  }

  const sum = (of: (one: Client) => number): number => [here, ...remotes].reduce((all, one) => all + of(one), 0)

  return {
    send(exchange, onEnd) {
      streamUsNow()
      active++
      if (typeof workers === 'function')
        grow(workers({ streams: active, eventsPerSecond: active * eventsPerStreamSecond }))
      const by = chosen()
      return (by ?? here).send(exchange, (record, seen) => {
        streamUsNow()
        active--
        freedLast = by
        const { sentS, endS } = record
        if (endS > sentS) eventsPerStreamSecond += PACE_WEIGHT * (seen.events / (endS - sentS) - eventsPerStreamSecond)
        onEnd(record, seen)
      })
    },
    counters: () => ({
      events: sum((one) => one.counters().events),
      tokenReads: sum((one) => one.counters().tokenReads),
      sharedReads: sum((one) => one.counters().sharedReads),
      active,
    }),
    lateReads() {
      const all = here.lateReads()
      for (const one of remotes) for (const [i, count] of one.lateReads().entries()) all[i] = (all[i] ?? 0) + count
      return all
    },
    awakeIdleMs: here.awakeIdleMs,
    workers: () => remotes.length,
    threads: () => remotes,
    streamS: () => streamUsNow() / 1e6,
    async close() {
      await Promise.all([here, ...remotes].map((one) => one.close()))
    },
  }
}
