/**
 * Client against server: the records of a run joined by request id with the log of a server that knows when it received each request
 * and wrote each token. Both clocks are CLOCK_MONOTONIC of one machine, so a difference of two stamps is an error, not an offset.
 */
import type { RequestRecord } from '../src/core/index.ts'

export interface TruthLine {
  readonly requestId: string
  readonly receivedNs: number
  readonly tokenNs: readonly number[]
}

export type MeasuredRecord = Pick<RequestRecord, 'id' | 'sentS' | 'firstTokenS' | 'endS' | 'outcome' | 'gapsUs'>

/** What one request's figures differ by, client minus server, in ms; `gapMs` and `tokenMs` hold one difference a gap and a token. */
export interface RequestError {
  readonly id: string
  readonly ttftMs: number
  readonly tpotMs?: number
  readonly tokenMs: readonly number[]
  readonly gapMs: readonly number[]
  readonly trueTtftMs: number
  readonly trueGapsMs: readonly number[]
}

export interface TruthJoin {
  readonly requests: readonly RequestError[]
  /** Ids of records that the server does not know, or whose count of token-bearing events is not the server's count of tokens. */
  readonly unmatched: readonly string[]
}

export function parseTruth(text: string): ReadonlyMap<string, TruthLine> {
  const lines = new Map<string, TruthLine>()
  for (const text1 of text.split('\n')) {
    if (text1 === '') continue
    const line = JSON.parse(text1) as TruthLine
    // A client that sends no ids still has its lines.
    lines.set(line.requestId === '' ? `#${lines.size}` : line.requestId, line)
  }
  return lines
}

const intervals = (times: readonly number[]): number[] =>
  times.slice(1).map((time, i) => time - (times[i] ?? Number.NaN))

function compare(record: MeasuredRecord, line: TruthLine, originNs: number): RequestError | undefined {
  if (record.firstTokenS === undefined || record.gapsUs.length + 1 !== line.tokenNs.length) return undefined
  const firstNs = line.tokenNs[0] ?? Number.NaN
  let atMs = record.firstTokenS * 1000 + originNs / 1e6
  const tokenMs = line.tokenNs.map((ns, i) => {
    if (i > 0) atMs += (record.gapsUs[i - 1] ?? Number.NaN) / 1000
    return atMs - ns / 1e6
  })
  const trueGapsMs = intervals(line.tokenNs).map((ns) => ns / 1e6)
  const gapMs = trueGapsMs.map((gap, i) => (record.gapsUs[i] ?? Number.NaN) / 1000 - gap)
  const trueTtftMs = (firstNs - line.receivedNs) / 1e6
  const n = gapMs.length
  return {
    id: record.id,
    ttftMs: (record.firstTokenS - record.sentS) * 1000 - trueTtftMs,
    ...(n > 0 ? { tpotMs: gapMs.reduce((sum, gap) => sum + gap, 0) / n } : {}),
    tokenMs,
    gapMs,
    trueTtftMs,
    trueGapsMs,
  }
}

/** Joins the `ok` records with the truth. `originNs` is the monotonic nanosecond at which the records' clock read 0. */
export function joinTruth(
  truth: ReadonlyMap<string, TruthLine>,
  records: Iterable<MeasuredRecord>,
  originNs: number,
): TruthJoin {
  const requests: RequestError[] = []
  const unmatched: string[] = []
  for (const record of records) {
    if (record.outcome !== 'ok') continue
    const line = truth.get(record.id)
    const error = line === undefined ? undefined : compare(record, line, originNs)
    if (error === undefined) unmatched.push(record.id)
    else requests.push(error)
  }
  return { requests, unmatched }
}

export interface Totals {
  readonly tokensPerSecond: number
  readonly inFlight: number
  readonly completionsPerSecond: number
  readonly timeInSystemS: number
}

/** X, L, λ and W of a window as the server saw them: a request is in flight from its receipt to its last token. */
export function truthTotals(
  truth: Iterable<TruthLine>,
  window: { readonly startS: number; readonly endS: number },
  originNs: number,
): Totals {
  const startNs = originNs + window.startS * 1e9
  const endNs = originNs + window.endS * 1e9
  const lengthS = window.endS - window.startS
  let tokens = 0
  let inFlightNs = 0
  let left = 0
  let staysNs = 0
  for (const line of truth) {
    const lastNs = line.tokenNs.at(-1) ?? line.receivedNs
    for (const ns of line.tokenNs) if (ns >= startNs && ns < endNs) tokens++
    inFlightNs += Math.max(0, Math.min(lastNs, endNs) - Math.max(line.receivedNs, startNs))
    if (lastNs >= startNs && lastNs < endNs) {
      left++
      staysNs += lastNs - line.receivedNs
    }
  }
  return {
    tokensPerSecond: tokens / lengthS,
    inFlight: inFlightNs / 1e9 / lengthS,
    completionsPerSecond: left / lengthS,
    timeInSystemS: staysNs / 1e9 / left,
  }
}
