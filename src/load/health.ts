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

const RESOLUTION_MS = 10

export function createHealth(clock: Clock, client: Watched): Health {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let beganUs = 0
  let counters = client.counters()
  let late = client.lateReads()
  let cpu = process.cpuUsage()
  let loop: EventLoopUtilization = performance.eventLoopUtilization()
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
      const windowUs = clock.nowUs() - beganUs
      const now = client.counters()
      const tokenReads = now.tokenReads - counters.tokenReads
      const used = process.cpuUsage(cpu)
      const busy = performance.eventLoopUtilization(loop).utilization
      const reads = client.lateReads().map((count, i) => count - (late[i] ?? 0))
      const lagMs = (percent: number): number => Math.max(0, delay.percentile(percent) / 1e6 - RESOLUTION_MS)
      const lag: LatencySummary = {
        mean: Math.max(0, delay.mean / 1e6 - RESOLUTION_MS),
        p50: lagMs(50),
        p90: lagMs(90),
        p95: lagMs(95),
        p99: lagMs(99),
        max: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
      }
      const why: string[] = []
      console.error(
        JSON.stringify({ busy, lag, l50: lateMs(reads, 0.5), l90: lateMs(reads, 0.9), l99: lateMs(reads, 0.99) }),
      )
      return {
        eventLoopLagMs: lag,
        cpu: (used.user + used.system) / windowUs,
        ...(tokenReads > 0 && { sharedReads: (now.sharedReads - counters.sharedReads) / tokenReads }),
        saturated: why.length > 0,
        ...(why.length > 0 && { why }),
      }
    },
  }
}

/** How late, at most, that share of the reads was. */
function lateMs(reads: Float64Array, share: number): number {
  const all = reads.reduce((sum, count) => sum + count, 0)
  let passed = 0
  const step = reads.findIndex((count) => {
    passed += count
    return passed >= share * all
  })
  return ((step + 1) * LATE_STEP_US) / 1e3
}
