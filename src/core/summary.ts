import type { LatencySummary, SpeedSummary } from './run.ts'

/** What a summary asks of a sample; undefined where the sample is empty. */
export interface Distribution {
  mean(): number | undefined
  percentile(p: number): number | undefined
}

/** Keys without a value are left out: empty has no minimum, and a 0 or a null would read as one. */
export function given<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}

/** Of speeds in tok/s: p1, p5 and p10 are the slow users. */
export function speedSummary(speeds: Distribution): SpeedSummary {
  return given<SpeedSummary>({
    mean: speeds.mean(),
    p1: speeds.percentile(1),
    p5: speeds.percentile(5),
    p10: speeds.percentile(10),
    p50: speeds.percentile(50),
    p90: speeds.percentile(90),
  })
}

/** Of times in microseconds, told in milliseconds. */
export function latencySummary(micros: Distribution): LatencySummary {
  const ms = (us: number | undefined): number | undefined => (us === undefined ? undefined : us / 1000)
  return given<LatencySummary>({
    mean: ms(micros.mean()),
    p50: ms(micros.percentile(50)),
    p90: ms(micros.percentile(90)),
    p95: ms(micros.percentile(95)),
    p99: ms(micros.percentile(99)),
    max: ms(micros.percentile(100)),
  })
}

/** The same where the whole summary is optional: undefined instead of a summary without keys. */
export function latencySummaryIfAny(micros: Distribution): LatencySummary | undefined {
  return micros.mean() === undefined ? undefined : latencySummary(micros)
}
