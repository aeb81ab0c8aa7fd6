/** Where a clock reads 0. */
export interface ClockOrigin {
  /** `process.hrtime` at zero, ns: a server's own log on the same machine is joined by it. */
  readonly originNs: string
  /** The wall clock at zero, for people. */
  readonly wallIso: string
}

/** The run's clock: monotonic, zero at the run's start. */
export interface Clock extends ClockOrigin {
  /** Microseconds since zero. */
  nowUs(): number
  /** Seconds since zero. */
  nowS(): number
}

/** Its zero is now, or that of another thread's clock: all threads of a process read the same `process.hrtime`. */
export function createClock(of?: ClockOrigin): Clock {
  const [originS, originNs] = of === undefined ? process.hrtime() : partsOf(BigInt(of.originNs))
  const nowUs = (): number => {
    const [s, ns] = process.hrtime()
    return (s - originS) * 1e6 + (ns - originNs) / 1e3
  }
  return {
    originNs: String(BigInt(originS) * 1_000_000_000n + BigInt(originNs)),
    wallIso: of?.wallIso ?? new Date().toISOString(),
    nowUs,
    nowS: () => nowUs() / 1e6,
  }
}

const NS_PER_S = 1_000_000_000n
const partsOf = (ns: bigint): readonly [s: number, ns: number] => [Number(ns / NS_PER_S), Number(ns % NS_PER_S)]
