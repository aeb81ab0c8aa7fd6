/** What bench/sim-probe.mjs tells, which knows no types since it runs in a browser too. */

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
