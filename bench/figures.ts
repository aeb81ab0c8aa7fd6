/** What the records of one run against the mock say, and by how much it differs from the truth. */
import { percentile } from '../src/core/index.ts'
import { joinTruth, type MeasuredRecord, type TruthLine } from './truth.ts'

export interface Figures {
  readonly requests: number
  /** Requests whose events are not the server's tokens; anything but 0 is a fault of the client. */
  readonly unmatched: number
  /** Measured − true, of each request. */
  readonly ttftErrorP50Ms: number
  readonly ttftErrorP99Ms: number
  /** |measured − true|, of each gap. */
  readonly itlErrorP50Ms: number
  readonly itlErrorP99Ms: number
  readonly itlErrorMaxMs: number
  /** What the client reports, and what was so. */
  readonly ttftP50Ms: number
  readonly ttftP99Ms: number
  readonly trueTtftP50Ms: number
  readonly itlP50Ms: number
  readonly itlP99Ms: number
  readonly trueItlP50Ms: number
  readonly trueItlP99Ms: number
  /** Share of gaps reported under a tenth of what they were: tokens that waited and were then taken together. */
  readonly bunched: number
  /** Token-bearing events that arrived inside the window. */
  readonly eventsPerSecond: number
}

export interface Window {
  readonly startS: number
  readonly endS: number
}

export function percentiles(values: number[]): (p: number) => number {
  values.sort((a, b) => a - b)
  return (p) => percentile(values, p) ?? Number.NaN
}

function eventsIn(records: readonly MeasuredRecord[], { startS, endS }: Window): number {
  let count = 0
  for (const { firstTokenS, gapsUs } of records) {
    let at = firstTokenS ?? Number.NaN
    if (at >= startS && at < endS) count++
    for (const gap of gapsUs) {
      at += gap / 1e6
      if (at >= startS && at < endS) count++
    }
  }
  return count
}

/** Latencies are of the requests that began inside the window. `originNs`: the mock's clock when the records' read 0. */
export function figuresOf(
  records: readonly MeasuredRecord[],
  truth: ReadonlyMap<string, TruthLine>,
  window: Window,
  originNs: number,
): Figures {
  const begunInside = records.filter(({ sentS }) => sentS >= window.startS && sentS < window.endS)
  const { requests, unmatched } = joinTruth(truth, begunInside, originNs)
  const ttftError = percentiles(requests.map(({ ttftMs }) => ttftMs))
  const itlError = percentiles(requests.flatMap(({ gapMs }) => gapMs.map(Math.abs)))
  const ttft = percentiles(requests.map(({ ttftMs, trueTtftMs }) => ttftMs + trueTtftMs))
  const trueTtft = percentiles(requests.map(({ trueTtftMs }) => trueTtftMs))
  const itl = percentiles(
    requests.flatMap(({ gapMs, trueGapsMs }) => gapMs.map((error, i) => error + (trueGapsMs[i] ?? Number.NaN))),
  )
  const trueItl = percentiles(requests.flatMap(({ trueGapsMs }) => trueGapsMs))
  let gaps = 0
  let bunched = 0
  for (const { gapMs, trueGapsMs } of requests) {
    for (const [i, error] of gapMs.entries()) {
      gaps++
      if (error < -0.9 * (trueGapsMs[i] ?? 0)) bunched++
    }
  }
  return {
    requests: requests.length,
    unmatched: unmatched.length,
    ttftErrorP50Ms: ttftError(50),
    ttftErrorP99Ms: ttftError(99),
    itlErrorP50Ms: itlError(50),
    itlErrorP99Ms: itlError(99),
    itlErrorMaxMs: itlError(100),
    ttftP50Ms: ttft(50),
    ttftP99Ms: ttft(99),
    trueTtftP50Ms: trueTtft(50),
    itlP50Ms: itl(50),
    itlP99Ms: itl(99),
    trueItlP50Ms: trueItl(50),
    trueItlP99Ms: trueItl(99),
    bunched: bunched / gaps,
    eventsPerSecond: eventsIn(records, window) / (window.endS - window.startS),
  }
}
