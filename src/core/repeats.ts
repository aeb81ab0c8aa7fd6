import type { BatchInterval, Point, Repeated, RepeatedLoad } from './run.ts'
import { mean } from './statistics.ts'
import { t95 } from './student.ts'
import { given } from './summary.ts'

interface Seen {
  readonly value: number | undefined
  readonly interval: BatchInterval | undefined
}

/**
 * What points of one load say together. Their own mean and spread stand beside the intervals within each point: these hold only
 * what went on inside one window, and a host that is slower today than yesterday shows between windows alone.
 */
export function repeatsOf(points: readonly Point[]): readonly RepeatedLoad[] {
  const byLoad = new Map<string, number[]>()
  points.forEach(({ load }, index) => {
    const name = `${load.kind} ${load.value}`
    byLoad.set(name, [...(byLoad.get(name) ?? []), index])
  })
  return [...byLoad.values()].flatMap((indices) => {
    const same = indices.flatMap((index) => points[index] ?? [])
    const [first] = same
    if (first === undefined || same.length < 2) return []
    const of = (seen: (point: Point) => Seen): Repeated | undefined => repeated(same.map(seen))
    return [
      given<RepeatedLoad>({
        load: first.load,
        points: indices,
        outputTokensPerSecond: of(({ outputTokensPerSecond: value, intervals }) => ({
          value,
          interval: intervals?.outputTokensPerSecond,
        })),
        tokensPerSecondPerUser: of(({ perUser, intervals }) => ({
          value: perUser.tokensPerSecond.p50,
          interval: intervals?.perUser?.tokensPerSecond.p50,
        })),
        ttftMs: of(({ latency, intervals }) => ({
          value: latency.ttftMs.p50,
          interval: intervals?.latency?.ttftMs?.p50,
        })),
      }),
    ]
  })
}

function repeated(seen: readonly Seen[]): Repeated | undefined {
  const values = seen.flatMap(({ value }) => value ?? [])
  const center = mean(values)
  if (center === undefined || values.length < 2) return undefined
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0)
  const half = t95(values.length - 1) * Math.sqrt(squares / (values.length - 1) / values.length)
  const intervals = seen.flatMap(({ interval }) => interval ?? [])
  return given<Repeated>({
    mean: center,
    low: Math.max(0, center - half),
    high: center + half,
    within: mean(intervals.map(({ low, high }) => (high - low) / 2)),
    // Two 95 % intervals that do not even touch are further apart than chance allows in about one pair of 200.
    differ: intervals.length < 2 ? undefined : areApart(intervals),
  })
}

function areApart(intervals: readonly BatchInterval[]): boolean {
  return Math.max(...intervals.map(({ low }) => low)) > Math.min(...intervals.map(({ high }) => high))
}
