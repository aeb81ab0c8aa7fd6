import type { RequestRecord } from '../../core/index.ts'
import type { Finished } from '../engine/sequence.ts'
import type { Journey } from './observer.ts'

const NO_GAPS: readonly number[] = []

/** Of whole microseconds, as records are. */
const rounded = (s: number): number => Math.round(s * 1e6) / 1e6

const common = ({ id, arrival }: Journey, point: number) =>
  ({
    id: `s${point}-${id}`,
    point,
    sentS: arrival.atS,
    inputTokens: arrival.promptTokens,
    askedInputTokens: arrival.promptTokens,
    askedOutputTokens: arrival.outputTokens,
    tokenSource: 'usage',
    gapsUs: NO_GAPS,
  }) as const

/** An answer without its gaps. */
export function recordOf(journey: Journey, done: Finished, point: number): RequestRecord {
  const lastTokenS = rounded(done.lastTokenS)
  return {
    ...common(journey, point),
    firstTokenS: rounded(done.firstTokenS),
    lastTokenS,
    endS: lastTokenS,
    outcome: 'ok',
    finishReason: 'length',
    outputTokens: journey.arrival.outputTokens,
    ...(done.cachedTokens > 0 && { cachedInputTokens: done.cachedTokens }),
  }
}

export function refusalOf(journey: Journey, nowS: number, point: number, why: string): RequestRecord {
  return {
    ...common(journey, point),
    endS: rounded(nowS),
    outcome: 'failed',
    error: { kind: 'http', status: 400, message: why },
    outputTokens: 0,
  }
}

/**
 * The same with its gaps, as a client sees it of a server that sends the first token at once and then every `interval` of them, the last
 * one with what there is.
 */
export function withGaps(record: RequestRecord, gapsUs: readonly number[], interval: number): RequestRecord {
  if (interval === 1) return { ...record, gapsUs: [...gapsUs] }
  const gaps: number[] = []
  const tokensPerEvent = [1]
  for (let at = 0; at < gapsUs.length; at += interval) {
    const sent = gapsUs.slice(at, at + interval)
    gaps.push(sent.reduce((sum, gap) => sum + gap, 0))
    tokensPerEvent.push(sent.length)
  }
  return { ...record, gapsUs: gaps, tokensPerEvent }
}
