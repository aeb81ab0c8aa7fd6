/** What bench/sim-probe.mjs tells, which knows no types since it runs in a browser too; `inNode` is it, here. */
import type { TraceRow } from '../src/core/index.ts'

interface TimedSimulator {
  hour(rows: readonly TraceRow[], repeats?: number): TimedHour
  /** Of 5 000 requests whose answers are so long, 32 at a time: how long each takes to simulate, the best of three. */
  answersOf(tokens: number): { readonly usPerRequest: number }
}

export interface TimedFrontiers {
  readonly loads: number
  /** Of each load. */
  readonly requests: number
  /** Of each frontier, the first before anything was compiled. */
  readonly seconds: readonly number[]
}

export interface TimedHour {
  readonly requests: number
  readonly replicas: number
  readonly seconds: readonly number[]
}

export interface TimedFleet {
  readonly requests: number
  readonly replicas: number
  readonly seconds: number
  readonly peakRssMB: number
}

export interface Growth {
  readonly what: string
  readonly points: readonly { readonly value: number; readonly usPerRequest: number }[]
}

const probe = new URL('sim-probe.mjs', import.meta.url).href

export const inNode = async (): Promise<TimedSimulator> => (await import(/* @vite-ignore */ probe)) as TimedSimulator
