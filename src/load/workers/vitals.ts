import type { LatencySummary } from '../../core/index.ts'
import type { Counters } from '../http/meter.ts'

/**
 * What a worker tells of itself all the time, in memory that both threads see: to ask it would take a turn of its event loop, and the
 * answer would come when the window is over.
 *
 *   events · token reads · shared reads · active │ lag: p50 p90 p95 p99 max, all −1 before the first sample │ late reads, step by step
 */
const LAG = ['p50', 'p90', 'p95', 'p99', 'max'] as const
const LAG_AT = 4
const LATE_AT = LAG_AT + LAG.length

export interface Vitals {
  counters(): Counters
  lateReads(): Float64Array
  lag(): LatencySummary | undefined
}

export interface VitalsWriter {
  counters(counters: Counters): void
  lateReads(reads: Float64Array): void
  lag(summary: LatencySummary | undefined): void
}

export function vitalsMemory(lateSteps: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * (LATE_AT + lateSteps))
  writeVitals(memory).lag(undefined)
  return memory
}

export function readVitals(memory: SharedArrayBuffer): Vitals {
  const values = new Float64Array(memory)
  const at = (index: number): number => values[index] ?? 0
  return {
    counters: () => ({ events: at(0), tokenReads: at(1), sharedReads: at(2), active: at(3) }),
    lateReads: () => values.slice(LATE_AT),
    lag: () => (at(LAG_AT) < 0 ? undefined : Object.fromEntries(LAG.map((key, i) => [key, at(LAG_AT + i)]))),
  }
}

export function writeVitals(memory: SharedArrayBuffer): VitalsWriter {
  const values = new Float64Array(memory)
  return {
    counters({ events, tokenReads, sharedReads, active }) {
      values[0] = events
      values[1] = tokenReads
      values[2] = sharedReads
      values[3] = active
    },
    lateReads: (reads) => values.set(reads, LATE_AT),
    lag(summary) {
      for (const [i, key] of LAG.entries()) values[LAG_AT + i] = summary?.[key] ?? -1
    },
  }
}
