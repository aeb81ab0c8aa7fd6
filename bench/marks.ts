/** What the load generator promises of itself, and whether the figures keep it. */
import { percentile } from '../src/core/index.ts'
import type { GeneratorFigures, Mark, Worse } from './results.ts'
import type { FloodSample, Kind, PacedSample } from './sample.ts'

type Figures<S> = { readonly [K in keyof S as S[K] extends number ? K : never]: S[K] }

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    50,
  ) ?? Number.NaN

export function medianOf<S>(samples: readonly S[], figure: keyof Figures<S>): number {
  return median(samples.map((sample) => Number(sample[figure as keyof S])))
}

const paced = (results: GeneratorFigures, streams: number, kind: Kind): readonly PacedSample[] =>
  results.paced.find((result) => result.streams === streams && result.kind === kind)?.samples ?? []

const flooded = (results: GeneratorFigures, kind: Kind): readonly FloodSample[] =>
  results.flooded.find((result) => result.eventsPerChunk === 1 && result.kind === kind)?.samples ?? []

const ms = (value: number): string => `${value.toFixed(2)} ms`

/** TTFT p50 within `ttftMs` of the truth, ITL p99 within `itlMs` of the better of the two probes. */
function pacedMarks(results: GeneratorFigures, streams: number, ttftMs: number, itlMs: number): readonly Mark[] {
  const ours = paced(results, streams, 'twospeed')
  const ttft = medianOf(ours, 'ttftErrorP50Ms')
  const itl = medianOf(ours, 'itlErrorP99Ms')
  const probe = Math.min(
    ...(['undici', 'socket'] as const).map((kind) => medianOf(paced(results, streams, kind), 'itlErrorP99Ms')),
  )
  return [
    { name: `${streams} streams: TTFT p50 error`, value: ms(ttft), limit: `≤ ${ms(ttftMs)}`, pass: ttft <= ttftMs },
    {
      name: `${streams} streams: ITL p99 error`,
      value: ms(itl),
      limit: `≤ probe ${ms(probe)} + ${ms(itlMs)}`,
      pass: itl <= probe + itlMs,
    },
  ]
}

const FLOOD_MARK = 1e6

/** At 4 096 streams one core is not enough, and `measure` must say so; at 64 it is, and must not be suspected. */
function saturationMark(results: GeneratorFigures, streams: number, expected: boolean): Mark {
  const samples = results.measured.filter((result) => result.streams === streams).flatMap((result) => result.samples)
  return {
    name: `${streams} streams through measure: ${expected ? 'marked saturated, with the reason' : 'not marked saturated'}`,
    value: samples.map(({ saturated, why }) => (saturated ? `marked: ${why.join(', ')}` : 'not marked')).join('; '),
    limit: expected ? 'marked' : 'not marked',
    pass:
      samples.length > 0 &&
      samples.every(({ saturated, why }) => saturated === expected && why.length > 0 === expected),
  }
}

function everyAnswerMark(results: GeneratorFigures): Mark {
  const samples = [...results.paced, ...results.measured].flatMap((result) => [...result.samples])
  const wrong = samples.reduce((sum, { failed, unmatched }) => sum + failed + unmatched, 0)
  const lost = results.flooded.flatMap((result) => [...result.samples]).reduce((sum, { failed }) => sum + failed, 0)
  const name = "Every answer read whole, with as many token events as the server's log has tokens"
  return { name, value: `${wrong + lost} not`, limit: '0', pass: samples.length > 0 && wrong + lost === 0 }
}

export function judge(results: GeneratorFigures): readonly Mark[] {
  const flood = medianOf(flooded(results, 'twospeed'), 'eventsPerSecond')
  return [
    {
      name: 'Flooded, one event a chunk: events/s told apart, counted and timed',
      value: `${(flood / 1e6).toFixed(2)} M`,
      limit: `≥ ${FLOOD_MARK / 1e6} M`,
      pass: flood >= FLOOD_MARK,
    },
    ...pacedMarks(results, 256, 0.5, 1),
    ...pacedMarks(results, 1024, 1, 2),
    saturationMark(results, 64, false),
    saturationMark(results, 4096, true),
    everyAnswerMark(results),
  ]
}

const LESS_IS_BETTER = ['ttftErrorP50Ms', 'itlErrorP99Ms', 'cpuUsPerEvent', 'peakRssMB'] as const

/** Worse only where the two runs' repeats do not overlap. */
function compare(figure: string, before: readonly number[], now: readonly number[], sign: 1 | -1): readonly Worse[] {
  if (before.length === 0 || now.length === 0) return []
  const apart = Math.min(...now.map((value) => sign * value)) > Math.max(...before.map((value) => sign * value))
  return apart ? [{ figure, before: median(before), now: median(now) }] : []
}

export function worseThan(before: GeneratorFigures, now: GeneratorFigures): readonly Worse[] {
  const byLoad = now.paced
    .filter(({ kind }) => kind === 'twospeed')
    .flatMap(({ streams, kind, samples }) =>
      LESS_IS_BETTER.flatMap((figure) => {
        const old = paced(before, streams, kind).map((sample) => sample[figure])
        return compare(
          `${streams} streams, ${figure}`,
          old,
          samples.map((sample) => sample[figure]),
          1,
        )
      }),
    )
  const flood = compare(
    'flooded, events/s',
    flooded(before, 'twospeed').map(({ eventsPerSecond }) => eventsPerSecond),
    flooded(now, 'twospeed').map(({ eventsPerSecond }) => eventsPerSecond),
    -1,
  )
  return [...byLoad, ...flood]
}

/** Says which were held, and lets the command fail where one was not. */
export function tellMarks(marks: readonly Mark[]): void {
  for (const { name, value, limit, pass } of marks) {
    process.stderr.write(`${pass ? 'held  ' : 'MISSED'}  ${name}: ${value} (${limit})\n`)
  }
  if (!marks.every(({ pass }) => pass)) process.exitCode = 1
}
