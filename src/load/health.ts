import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Generator, LatencySummary } from '../core/index.ts'
import type { Clock } from './clock.ts'
import { type Counters, LATE_STEP_US } from './meter.ts'

/** What the generator knows of itself over a window of time. */
export interface Health {
  begin(): void
  end(): Generator
}

/** The part of a client that tells of its reading. */
export interface Watched {
  counters(): Counters
  lateReads(): Float64Array
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

/** Of the timer that samples the loop's delay; its own period is part of what it measures. */
const RESOLUTION_MS = 10

export function createHealth(clock: Clock, client: Watched): Health {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let beganUs = 0
  let counters = client.counters()
  let late = client.lateReads()
  let cpu = process.cpuUsage()
  let loop: EventLoopUtilization = performance.eventLoopUtilization()

  const lagMs = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS)

  return {
    begin() {
      delay.reset()
      delay.enable()
      beganUs = clock.nowUs()
      counters = client.counters()
      late = client.lateReads()
      cpu = process.cpuUsage()
      loop = performance.eventLoopUtilization()
    },
    end() {
      delay.disable()
      const now = client.counters()
      const tokenReads = now.tokenReads - counters.tokenReads
      const reads = client.lateReads().map((count, i) => count - (late[i] ?? 0))
      const used = process.cpuUsage(cpu)
      const lag: LatencySummary = {
        p50: lagMs(delay.percentile(50)),
        p90: lagMs(delay.percentile(90)),
        p95: lagMs(delay.percentile(95)),
        p99: lagMs(delay.percentile(99)),
        max: lagMs(delay.max),
      }
      const why = complaints({
        busy: performance.eventLoopUtilization(loop).utilization,
        lateP50Ms: lateMs(reads, 0.5),
        lateP99Ms: lateMs(reads, 0.99),
        lagP99Ms: lag.p99 ?? 0,
      })
      return {
        ...(delay.count > 0 && { eventLoopLagMs: lag }),
        cpu: (used.user + used.system) / (clock.nowUs() - beganUs),
        ...(tokenReads > 0 && { sharedReads: (now.sharedReads - counters.sharedReads) / tokenReads }),
        saturated: why.length > 0,
        ...(why.length > 0 && { why }),
      }
    },
  }
}

interface Symptoms {
  readonly busy: number
  readonly lateP50Ms: number
  readonly lateP99Ms: number
  readonly lagP99Ms: number
}

/** In words for a person; none where all is well. */
function complaints({ busy, lateP50Ms, lateP99Ms, lagP99Ms }: Symptoms): readonly string[] {
  const found: (string | false)[] = [
    busy > MAX_BUSY && `its event loop was busy ${Math.floor(100 * busy)} % of the time`,
    lateP50Ms > MAX_LATE_P50_MS && `half of its reads may be ${Math.round(lateP50Ms)} ms late or more`,
    lateP99Ms > MAX_LATE_P99_MS && `one read in a hundred may be ${Math.round(lateP99Ms)} ms late or more`,
    lagP99Ms > MAX_LAG_P99_MS && `its event loop lagged ${Math.round(lagP99Ms)} ms (p99)`,
  ]
  return found.filter((one) => one !== false)
}

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
