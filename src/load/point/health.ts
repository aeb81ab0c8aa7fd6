import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Generator, GeneratorLoad, LatencySummary } from '../../core/index.ts'
import type { Clock } from '../clock.ts'
import { type Counters, LATE_STEP_US } from '../http/meter.ts'
import { createLag } from './lag.ts'

/** What the generator knows of itself over a window of time. */
export interface Health {
  begin(): void
  end(): Generator
}

/** The part of a client that tells of its reading. */
export interface Watched {
  counters(): Counters
  lateReads(): Float64Array
  /** For how long, so far, the thread that asks was awake with nothing to do: its loop counts that as work. */
  awakeIdleMs?(): number
  /** The threads that read for it, where it is not the thread that asks. */
  threads?(): readonly WatchedThread[]
  /** Stream-seconds so far: its growth over a time is how many streams there were on average. */
  streamS?(): number
  /** What the calibration of this machine says of such a load. */
  trust?(asked: GeneratorLoad): Pick<Generator, 'calibration' | 'errorMs'>
}

export interface WatchedThread {
  /** As a person calls it: `worker 2`. */
  readonly name: string
  /** As `performance.eventLoopUtilization` of that thread. */
  loop(since?: EventLoopUtilization): EventLoopUtilization
  lateReads(): Float64Array
  beginLag(): void
  lag(): LatencySummary | undefined
}

/**
 * Beyond these the clock of the client is no longer good enough to call the times those of the server. Measured against a server that
 * logs the truth, one core for the client, tokens evenly spread: with the loop busy 87 % of the time (512 streams of 50 tok/s on a slow
 * core) the median first token was 0.8 ms late and the loop kept up; at 100 % (1 024) it was 21 ms late, at 4 096 179 ms, and median gaps
 * went to 0. In between lies the knee of every queue. A pause of the loop, or reads that wait for each other, do harm while it is idle
 * on average, so they have limits of their own, of the size of a fast server's gap between tokens.
 */
const MAX_BUSY = 0.9
const MAX_LATE_P50_MS = 10
const MAX_LATE_P99_MS = 50
const MAX_LAG_P99_MS = 50

/** What the counts of a client and its threads were when the window began. */
interface Mark {
  readonly beganUs: number
  readonly counters: Counters
  readonly streamS: number
  readonly cpu: NodeJS.CpuUsage
  readonly loop: EventLoopUtilization
  readonly awakeIdleMs: number
  readonly late: Float64Array
  readonly threads: ReadonlyMap<WatchedThread, { readonly loop: EventLoopUtilization; readonly late: Float64Array }>
}

export function createHealth(clock: Clock, client: Watched): Health {
  const lag = createLag()
  const threadsOf = (): readonly WatchedThread[] => client.threads?.() ?? []
  const markNow = (): Mark => ({
    beganUs: clock.nowUs(),
    counters: client.counters(),
    streamS: client.streamS?.() ?? 0,
    cpu: process.cpuUsage(),
    loop: performance.eventLoopUtilization(),
    awakeIdleMs: client.awakeIdleMs?.() ?? 0,
    late: client.lateReads(),
    threads: new Map(threadsOf().map((thread) => [thread, { loop: thread.loop(), late: thread.lateReads() }])),
  })
  let mark = markNow()

  return {
    begin() {
      lag.begin()
      for (const thread of threadsOf()) thread.beginLag()
      mark = markNow()
    },
    end() {
      lag.end()
      const now = client.counters()
      const used = process.cpuUsage(mark.cpu)
      const windowUs = clock.nowUs() - mark.beganUs
      const streamS = (client.streamS?.() ?? 0) - mark.streamS
      const tokenReads = now.tokenReads - mark.counters.tokenReads
      const threads = threadsOf().map((thread) => {
        const began = mark.threads.get(thread)
        return {
          name: thread.name,
          busy: thread.loop(began?.loop).utilization,
          reads: since(thread.lateReads(), began?.late),
          lagMs: thread.lag(),
        }
      })
      const own = {
        busy: busyOf(performance.eventLoopUtilization(mark.loop), (client.awakeIdleMs?.() ?? 0) - mark.awakeIdleMs),
        // A thread that has others read for it is judged by how busy it is: what it sends, it may send late.
        reads: threads.length > 0 ? new Float64Array() : since(client.lateReads(), mark.late),
        lagMs: lag.summary(),
      }
      const why = [own, ...threads].flatMap(complaints)
      const worst = [own, ...threads].reduce((a, b) => ((b.lagMs?.p99 ?? 0) > (a.lagMs?.p99 ?? 0) ? b : a))
      return {
        ...(worst.lagMs !== undefined && { eventLoopLagMs: worst.lagMs }),
        cpu: (used.user + used.system) / windowUs,
        ...(tokenReads > 0 && { sharedReads: (now.sharedReads - mark.counters.sharedReads) / tokenReads }),
        saturated: why.length > 0,
        ...(why.length > 0 && { why }),
        ...(threads.length > 0 && {
          workers: threads.map(({ busy, lagMs }) => ({ busy, ...(lagMs !== undefined && { eventLoopLagMs: lagMs }) })),
        }),
        ...client.trust?.({
          streams: (streamS / windowUs) * 1e6,
          eventsPerSecond: ((now.events - mark.counters.events) / windowUs) * 1e6,
        }),
      }
    },
  }
}

const busyOf = ({ active, idle }: EventLoopUtilization, awakeIdleMs: number): number =>
  active + idle > 0 ? (active - awakeIdleMs) / (active + idle) : 0

interface Symptoms {
  /** Absent for the thread that asks. */
  readonly name?: string
  readonly busy: number
  readonly reads: Float64Array
  readonly lagMs: LatencySummary | undefined
}

/** In words for a person; none where all is well. */
function complaints({ name, busy, reads, lagMs }: Symptoms): readonly string[] {
  const loop = name === undefined ? 'its event loop' : `the event loop of ${name}`
  const some = name === undefined ? 'its reads' : `the reads of ${name}`
  const one = name === undefined ? 'one read' : `one read of ${name}`
  const lateP50Ms = lateMs(reads, 0.5)
  const lateP99Ms = lateMs(reads, 0.99)
  const lagP99Ms = lagMs?.p99 ?? 0
  const found: (string | false)[] = [
    busy > MAX_BUSY && `${loop} was busy ${Math.floor(100 * busy)} % of the time`,
    lateP50Ms > MAX_LATE_P50_MS && `half of ${some} may be ${Math.round(lateP50Ms)} ms late or more`,
    lateP99Ms > MAX_LATE_P99_MS && `${one} in a hundred may be ${Math.round(lateP99Ms)} ms late or more`,
    lagP99Ms > MAX_LAG_P99_MS && `${loop} lagged ${Math.round(lagP99Ms)} ms (p99)`,
  ]
  return found.filter((text) => text !== false)
}

const since = (now: Float64Array, before: Float64Array = new Float64Array(now.length)): Float64Array =>
  now.map((count, i) => count - (before[i] ?? 0))

/** How late, at most, that share of the reads was; 0 without reads. */
function lateMs(reads: Float64Array, share: number): number {
  const all = reads.reduce((sum, count) => sum + count, 0)
  let passed = 0
  const step = reads.findIndex((count) => {
    passed += count
    return passed > 0 && passed >= share * all
  })
  return ((step + 1) * LATE_STEP_US) / 1e3
}
