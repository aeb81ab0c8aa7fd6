import { holds, type Span, toMicros } from './instants.ts'
import type { RequestRecord } from './record.ts'

/** The token-bearing part of an answer: when its events came and how many tokens each bore. Times in whole microseconds. */
export interface Stream {
  readonly record: RequestRecord
  readonly firstUs: number
  /** From the first to the last token-bearing event: the sum of the gaps. */
  readonly intervalUs: number
  readonly lastUs: number
  readonly events: number
  /** Tokens of the event of this index, before `scale`. */
  readonly weight: (event: number) => number
  /** All weights together. */
  readonly told: number
  /**
   * What brings the weights to the answer's count: 1 where `tokensPerEvent` adds up to it, N / events where the tokens are spread evenly.
   * With it no token is lost or made, however they are spread.
   */
  readonly scale: number
}

/** One function for all streams whose tokens are spread evenly: the loops over events that call it then hold it in themselves. */
const one = (): number => 1

/** When tokens of one answer came, in whole microseconds, though they are not kept one by one. */
export interface TokenTimes {
  /** Every gap between consecutive tokens: as long as the answer. */
  gapsUs(): readonly number[]
  /** How many tokens came before an instant. */
  countBefore(instantUs: number): number
}

/**
 * Of answers whose gaps their records do not hold: an event is a token. The stream is one object, filled anew, so that an answer allocates
 * nothing: valid until the next one.
 */
export function createCountedStreams(): (record: RequestRecord) => Stream | undefined {
  let stream: { -readonly [Key in keyof Stream]: Stream[Key] } | undefined
  return (record) => {
    const { firstTokenS, lastTokenS, outputTokens: events } = record
    if (firstTokenS === undefined || lastTokenS === undefined) return undefined
    const firstUs = toMicros(firstTokenS)
    const lastUs = toMicros(lastTokenS)
    stream ??= { record, firstUs, lastUs, intervalUs: 0, events, weight: one, told: events, scale: 1 }
    stream.record = record
    stream.firstUs = firstUs
    stream.lastUs = lastUs
    stream.intervalUs = lastUs - firstUs
    stream.events = events
    stream.told = events
    return stream
  }
}

/** Undefined for an answer without a token. */
export function streamOf(record: RequestRecord): Stream | undefined {
  if (record.firstTokenS === undefined) return undefined
  const { gapsUs, tokensPerEvent, outputTokens } = record
  const events = gapsUs.length + 1
  const intervalUs = sumOf(gapsUs)
  const known = tokensPerEvent === undefined ? 0 : sumOf(tokensPerEvent)
  const told = known > 0 ? known : events
  const firstUs = toMicros(record.firstTokenS)
  return {
    record,
    firstUs,
    intervalUs,
    lastUs: firstUs + intervalUs,
    events,
    weight: tokensPerEvent !== undefined && known > 0 ? (event) => tokensPerEvent[event] ?? 0 : one,
    told,
    scale: outputTokens / told,
  }
}

function sumOf(values: readonly number[]): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at] ?? 0
  return sum
}

/** Time per output token, µs: undefined for one token, and when all share one arrival, for then there is no pace (neither 0 nor infinite). */
export function tpotUs(stream: Stream): number | undefined {
  const { outputTokens } = stream.record
  return outputTokens < 2 || stream.intervalUs === 0 ? undefined : stream.intervalUs / (outputTokens - 1)
}

/** An answer of several choices interleaves several streams: it has tokens and times, but no pace of one user. */
export const isOfSeveral = (record: RequestRecord): boolean => (record.choices ?? 1) > 1

/** Tokens of one answer that arrived inside a span. */
export interface TokensInside {
  readonly all: number
  /** Without those of the first event, which ends no gap. */
  readonly endedGap: number
}

const NONE: TokensInside = { all: 0, endedGap: 0 }

export function tokensInside(stream: Stream | undefined, span: Span): TokensInside {
  if (stream === undefined || stream.lastUs < span.startUs || stream.firstUs >= span.endUs) return NONE
  const { firstUs, lastUs, events, weight, told, scale } = stream
  const first = firstUs >= span.startUs ? weight(0) : 0
  // Of a stream that lies inside, all there are: most do, and weights are whole numbers, which add up the same.
  if (firstUs >= span.startUs && lastUs < span.endUs) return { all: told * scale, endedGap: (told - first) * scale }
  let later = 0
  let atUs = firstUs
  for (let event = 1; event < events; event++) {
    atUs += stream.record.gapsUs[event - 1] ?? 0
    if (holds(span, atUs)) later += weight(event)
  }
  return { all: (first + later) * scale, endedGap: later * scale }
}

/** The same of an answer whose tokens are told by their number. */
export function countedInside(stream: Stream | undefined, span: Span, times: TokenTimes | undefined): TokensInside {
  if (stream === undefined || stream.lastUs < span.startUs || stream.firstUs >= span.endUs) return NONE
  const { firstUs, lastUs, events } = stream
  const beganInside = firstUs >= span.startUs
  const before = beganInside ? 0 : (times?.countBefore(span.startUs) ?? 0)
  const all = (lastUs < span.endUs ? events : (times?.countBefore(span.endUs) ?? events)) - before
  return { all, endedGap: beganInside ? all - 1 : all }
}
