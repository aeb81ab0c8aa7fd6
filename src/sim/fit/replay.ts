import type { Observer } from '../answer/observer.ts'
import type { Arrival, Source } from '../arrivals/source.ts'
import type { Pool } from '../fleet/fleet.ts'
import { runFleet } from '../fleet/run-fleet.ts'
import { checkReplay } from '../shape.ts'
import type { StepTime } from '../step/step-time.ts'
import type { ObservedRequest } from './observed.ts'

/** How one replica works, apart from how long its steps take. */
export type ReplayServer = Pick<Pool, 'policy' | 'dataParallel'>

/** What the simulator makes of a load: one entry to a request, or to an instant. */
export interface Replay {
  readonly firstTokenS: Float64Array
  readonly lastTokenS: Float64Array
  /** Requests that were never answered: the KV cache is too small. */
  readonly unanswered: number
  readonly preemptions: number
  /** At each instant that was asked for: all tokens made before it, and how many run and wait. */
  readonly outputTokens: Float64Array
  readonly running: Float64Array
  readonly waiting: Float64Array
}

/** Plays requests, in order of arrival, on one simulated replica. `instants`: seconds, ascending. */
export function replay(
  requests: readonly ObservedRequest[],
  server: ReplayServer,
  stepTime: StepTime,
  instants: readonly number[] = [],
): Replay {
  checkReplay(requests, server, stepTime)
  const firstTokenS = new Float64Array(requests.length)
  const lastTokenS = new Float64Array(requests.length)
  const [outputTokens, running, waiting] = [0, 0, 0].map(() => new Float64Array(instants.length)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  let unanswered = requests.length
  let preemptions = 0
  let looks = 0
  const observer: { nextLookS: number } & Observer = {
    groups: 1,
    arrived: () => 0,
    segment: () => undefined,
    preempted: () => {
      preemptions++
    },
    resumed: () => undefined,
    refused: () => undefined,
    ended: ({ id }, done) => {
      firstTokenS[id] = done.firstTokenS
      lastTokenS[id] = done.lastTokenS
      unanswered--
      for (const [i, atS] of instants.entries()) {
        if (atS <= done.firstTokenS) continue
        const whole = atS > done.lastTokenS
        outputTokens[i] =
          (outputTokens[i] ?? 0) + (whole ? done.sequence.outputTokens : done.times.countBefore(Math.round(atS * 1e6)))
      }
    },
    nextLookS: instants[0] ?? Number.POSITIVE_INFINITY,
    look: (_, state) => {
      running[looks] = state.running(0)
      waiting[looks] = state.waiting(0)
      observer.nextLookS = instants[++looks] ?? Number.POSITIVE_INFINITY
    },
    isDone: () => false,
  }
  const pool: Pool = { name: 'server', role: 'both', replicas: 1, ...server, stepTime }
  runFleet(
    { pools: [pool], routing: 'leastInFlight' },
    [{ name: 'observed', source: new Observed(requests), priority: 0 }],
    observer,
  )
  return { firstTokenS, lastTokenS, unanswered, preemptions, outputTokens, running, waiting }
}

class Observed implements Source {
  nextS: number
  private readonly requests: readonly ObservedRequest[]
  private next = 0

  constructor(requests: readonly ObservedRequest[]) {
    this.requests = requests
    this.nextS = this.atS()
  }

  take(): Arrival {
    const request = this.requests[this.next]
    if (request === undefined) throw new RangeError('all requests have been taken')
    const arrival = { atS: this.nextS, promptTokens: request.promptTokens, outputTokens: request.outputTokens }
    this.next++
    this.nextS = this.atS()
    return arrival
  }

  ended(): void {
    // Nobody waits for it.
  }

  private atS(): number {
    return Math.round((this.requests[this.next]?.atS ?? Number.POSITIVE_INFINITY) * 1e6) / 1e6
  }
}
