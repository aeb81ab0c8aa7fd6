import { deviations, halfWidth, intervalAbout } from './batch-means.ts'
import type { CellCounts } from './cells.ts'
import type { PaceIntervals } from './pace.ts'
import type { PlacedSamples } from './placed-samples.ts'
import type { BatchInterval, Intervals, Point, Trend, Window } from './run.ts'
import { given } from './summary.ts'
import { changeOf } from './trend.ts'

/** With fewer answers in a window, rates per batch are those of single answers. */
const LEAST_ANSWERS = 10

/** Undefined instead of an object without keys. */
function known<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): T | undefined {
  const object = given<T>(values)
  return Object.keys(object).length === 0 ? undefined : object
}

/** How sure the figures of a point are. */
export function intervalsOf(
  cells: CellCounts,
  { outputTokensPerSecond, littlesLaw }: Pick<Point, 'outputTokensPerSecond' | 'littlesLaw'>,
  pace: PaceIntervals,
  ttft: PlacedSamples,
): Intervals | undefined {
  const rate = (
    value: number | undefined,
    part: Float64Array,
    whole: Float64Array,
    filled: Float64Array,
  ): BatchInterval | undefined => {
    if (value === undefined || cells.answers() < LEAST_ANSWERS) return undefined
    const off = deviations(part, whole)
    return off && intervalAbout(value, halfWidth(off, filled))
  }
  const { length, tokens, decoded, present, decoding } = cells
  const tokensPerSecond = known<NonNullable<Intervals['perUser']>['tokensPerSecond']>(pace.tokensPerSecond)
  return known<Intervals>({
    outputTokensPerSecond: rate(outputTokensPerSecond, tokens, length, tokens),
    perUser: tokensPerSecond && { tokensPerSecond },
    latency: known<NonNullable<Intervals['latency']>>({
      ttftMs: known({ p50: inMs(ttft.interval(50, cells.cellOf)), p99: inMs(ttft.interval(99, cells.cellOf)) }),
      tpotMs: known({ p50: inMs(pace.tpotUs.p50) }),
    }),
    littlesLaw: known<NonNullable<Intervals['littlesLaw']>>({
      inFlight: rate(littlesLaw.inFlight, present, length, present),
      decodeTokensPerSecondPerUser: rate(littlesLaw.decodeTokensPerSecondPerUser, decoded, decoding, decoding),
    }),
  })
}

function inMs(us: BatchInterval | undefined): BatchInterval | undefined {
  return us && { low: us.low / 1000, high: us.high / 1000, batches: us.batches }
}

/** What changed through the window: the output, and the pace of a stream-second. */
export function trendsOf(cells: CellCounts, { startS, endS }: Pick<Window, 'startS' | 'endS'>): readonly Trend[] {
  if (cells.answers() < LEAST_ANSWERS) return []
  const of = (figure: Trend['figure'], part: Float64Array, whole: Float64Array): readonly Trend[] => {
    const off = deviations(part, whole)
    const found = off && changeOf(off)
    if (found === undefined) return []
    const { kind, change, at } = found
    return [{ figure, kind, change, ...(at !== undefined && { atS: startS + at * (endS - startS) }) }]
  }
  return [
    ...of('outputTokensPerSecond', cells.tokens, cells.length),
    ...of('decodeTokensPerSecondPerUser', cells.decoded, cells.decoding),
  ]
}
