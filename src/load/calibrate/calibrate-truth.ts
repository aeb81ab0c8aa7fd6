import { type Generator, percentile, type RequestRecord } from '../../core/index.ts'
import type { CalibrationLoad, Spread } from './calibration.ts'

export interface MockTruth {
  /** Of each request, when each token was handed to its socket: `process.hrtime`, in ns. */
  readonly tokenNs: ReadonlyMap<string, Float64Array>
  /** p99 of how late it came to its steps. */
  readonly lateMs: number
}

export interface LoadPlan {
  readonly workers: number
  readonly streams: number
  readonly tokensPerSecond: number
  readonly windowS: number
}

/** What a client has to show for a load. */
export interface Borne {
  readonly records: readonly RequestRecord[]
  /** Of the records' clock. */
  readonly startUs: number
  readonly endUs: number
  /** `process.hrtime` where that clock reads 0. */
  readonly originNs: number
  readonly generator: Generator
}

/** Worse than this, one time in a hundred, and a load is not borne: half of a gap at 50 tok/s. */
const MAX_ERROR_P99_MS = 10
/** A server that came so late to its steps, in gaps, may not have written what was asked for. */
const SERVER_LATE = 0.5
/** What may be missing of the events that were asked for: users that begin again wait for the next step. */
const LEAST_SHARE = 0.85

/** By how much the records differ from what the server knows, and whether that is good enough. `serverBusy`: more it cannot write. */
export function judgeLoad(
  { workers, streams, tokensPerSecond, windowS }: LoadPlan,
  borne: Borne,
  truth: MockTruth,
): { readonly load: CalibrationLoad; readonly serverBusy: boolean } {
  const { records, startUs, endUs, generator } = borne
  const { events, unknown, ttftMs, itlMs } = compare(borne, truth)
  const eventsPerSecond = (events / (endUs - startUs)) * 1e6
  const isServerLate = truth.lateMs > (SERVER_LATE * 1000) / tokensPerSecond
  const isShort = eventsPerSecond < LEAST_SHARE * streams * tokensPerSecond
  const failed = records.filter(({ outcome }) => outcome === 'failed')
  const ttftErrorMs = spreadOf(ttftMs, 1000 * windowS)
  const itlErrorMs = spreadOf(itlMs, 1000 * windowS)
  const why = [
    ...(generator.saturated === true ? (generator.why ?? []) : []),
    failed.length > 0 && `${failed.length} requests failed: ${failed[0]?.error?.message}`,
    unknown > 0 && `${unknown} answers are not what the server wrote`,
    ttftErrorMs.p99 > MAX_ERROR_P99_MS && 'first tokens were told too late',
    itlErrorMs.p99 > MAX_ERROR_P99_MS && 'gaps were told wrong',
    isShort && !isServerLate && 'less came than was asked for',
  ].filter((text) => text !== false)
  const load = {
    workers,
    streams,
    tokensPerSecond,
    eventsPerSecond,
    ttftErrorMs,
    itlErrorMs,
    cpu: generator.cpu ?? Number.NaN,
    serverLateMs: truth.lateMs,
    trusted: why.length === 0,
    ...(why.length > 0 && { why }),
  }
  return { load, serverBusy: isShort && isServerLate }
}

interface Found {
  readonly events: number
  /** Answers with more tokens than the server wrote, or that it does not know. */
  readonly unknown: number
  readonly ttftMs: readonly number[]
  readonly itlMs: readonly number[]
}

/** Event i of a record is token i of the server's log, whether or not the answer was read to its end. */
function compare({ records, startUs, endUs, originNs }: Borne, { tokenNs }: MockTruth): Found {
  let events = 0
  let unknown = 0
  const ttftMs: number[] = []
  const ttftBeforeMs: number[] = []
  const itlMs: number[] = []
  for (const { id, firstTokenS, gapsUs } of records) {
    if (firstTokenS === undefined) continue
    const wroteUs = tokenNs.get(id)?.map((ns) => (ns - originNs) / 1e3)
    if (wroteUs === undefined || wroteUs.length <= gapsUs.length) {
      unknown++
      continue
    }
    let atUs = firstTokenS * 1e6
    for (let i = 0; i <= gapsUs.length; i++) {
      const gapUs = gapsUs[i - 1] ?? 0
      atUs += gapUs
      const trueUs = wroteUs[i] ?? Number.NaN
      if (i === 0 && atUs < startUs) ttftBeforeMs.push((atUs - trueUs) / 1e3)
      if (atUs < startUs || atUs >= endUs) continue
      events++
      if (i === 0) ttftMs.push((atUs - trueUs) / 1e3)
      else itlMs.push(Math.abs(gapUs - (trueUs - (wroteUs[i - 1] ?? Number.NaN))) / 1e3)
    }
  }
  // In a short window of few streams nobody begins again: then those of the ramp are all there are.
  return { events, unknown, ttftMs: ttftMs.length > 0 ? ttftMs : ttftBeforeMs, itlMs }
}

/** Where nothing came at all, it was late by the whole window at least. */
function spreadOf(values: readonly number[], windowMs: number): Spread {
  const sorted = Float64Array.from(values).sort()
  const at = (p: number): number => percentile(sorted, p) ?? windowMs
  return { p50: at(50), p99: at(99) }
}
