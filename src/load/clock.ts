/** The run's clock: monotonic, zero at the run's start. */
export interface Clock {
  /** `process.hrtime` at zero, ns: a server's own log on the same machine is joined by it. */
  readonly originNs: string
  /** The wall clock at zero, for people. */
  readonly wallIso: string
  /** Microseconds since zero. */
  nowUs(): number
  /** Seconds since zero. */
  nowS(): number
}

export function createClock(): Clock {
  const [originS, originNs] = process.hrtime()
  const nowUs = (): number => {
    const [s, ns] = process.hrtime()
    return (s - originS) * 1e6 + (ns - originNs) / 1e3
  }
  return {
    originNs: String(BigInt(originS) * 1_000_000_000n + BigInt(originNs)),
    wallIso: new Date().toISOString(),
    nowUs,
    nowS: () => nowUs() / 1e6,
  }
}
