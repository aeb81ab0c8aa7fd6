import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { LatencySummary } from '../../core/index.ts'

/** How late the event loop of this thread comes to what is due. */
export interface Lag {
  /** What is told from now on is of the time from now on. */
  begin(): void
  end(): void
  /** Undefined before the first sample. */
  summary(): LatencySummary | undefined
}

/** Of the timer that samples the loop's delay; its own period is part of what it measures. */
const RESOLUTION_MS = 10

export function createLag(): Lag {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const ms = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS)
  return {
    begin() {
      delay.reset()
      delay.enable()
    },
    end: () => void delay.disable(),
    summary: () =>
      delay.count === 0
        ? undefined
        : {
            p50: ms(delay.percentile(50)),
            p90: ms(delay.percentile(90)),
            p95: ms(delay.percentile(95)),
            p99: ms(delay.percentile(99)),
            max: ms(delay.max),
          },
  }
}
