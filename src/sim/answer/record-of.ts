import { figure, type RequestRecord } from '../../core/index.ts'
import { NEVER } from '../engine/seat.ts'
import type { Finished, Unfinished } from '../engine/sequence.ts'
import type { Journey } from './observer.ts'

const NO_GAPS: readonly number[] = []

/** Of whole microseconds, as records are. */
const rounded = (s: number): number => Math.round(s * 1e6) / 1e6

/**
 * What the figures need of an answer: no name, no gaps. One object, filled anew, so that a request allocates nothing: valid until the next.
 */
export function createAnswers(point: number): (journey: Journey, done: Finished) => RequestRecord {
  const answer = {
    id: '',
    point,
    sentS: NEVER,
    firstTokenS: NEVER,
    lastTokenS: NEVER,
    endS: NEVER,
    outcome: 'ok' as const,
    inputTokens: 0,
    outputTokens: 0,
    tokenSource: 'usage' as const,
    gapsUs: NO_GAPS,
  }
  return ({ arrival }, done) => {
    const lastTokenS = rounded(done.lastTokenS)
    answer.sentS = arrival.atS
    answer.firstTokenS = rounded(done.firstTokenS)
    answer.lastTokenS = lastTokenS
    answer.endS = lastTokenS
    answer.inputTokens = arrival.promptTokens
    answer.outputTokens = arrival.outputTokens
    return answer
  }
}

const asked = ({ id, arrival }: Journey, point: number) => ({
  id: `s${point}-${id}`,
  askedInputTokens: arrival.promptTokens,
  askedOutputTokens: arrival.outputTokens,
})

/** The whole record of an answer, as a client would write it. */
export function recordOf(
  journey: Journey,
  done: Finished,
  answer: RequestRecord,
  streamInterval: number,
): RequestRecord {
  return {
    ...answer,
    ...asked(journey, answer.point),
    ...(done.cachedTokens > 0 && { cachedInputTokens: done.cachedTokens }),
    finishReason: 'length',
    ...eventsOf(done.times.gapsUs(), streamInterval),
  }
}

/** Of a request that no engine could hold: it never was in flight. */
export function refusalOf(journey: Journey, point: number, why: string): RequestRecord {
  return {
    ...asked(journey, point),
    point,
    sentS: journey.arrival.atS,
    endS: journey.arrival.atS,
    outcome: 'failed',
    error: { kind: 'http', status: 400, message: why },
    inputTokens: journey.arrival.promptTokens,
    outputTokens: 0,
    tokenSource: 'usage',
    gapsUs: NO_GAPS,
  }
}

/** Of one that had not ended when the run did, with the tokens that a client had by then. */
export function unansweredOf(
  journey: Journey,
  nowS: number,
  left: Unfinished | undefined,
  point: number,
  streamInterval: number,
): RequestRecord {
  const { atS, promptTokens } = journey.arrival
  const made = left?.outputTokens ?? 0
  // Of what is sent so many at a time, the last ones have not been.
  const outputTokens = made === 0 ? 0 : 1 + Math.floor((made - 1) / streamInterval) * streamInterval
  const gapsUs = left === undefined || made === 0 ? NO_GAPS : left.times.gapsUs().slice(0, outputTokens - 1)
  const firstTokenS = rounded(left?.firstTokenS ?? 0)
  const lastTokenS = rounded(firstTokenS + gapsUs.reduce((sum, gap) => sum + gap, 0) / 1e6)
  const waitedS = figure(nowS - atS)
  return {
    ...asked(journey, point),
    point,
    sentS: atS,
    ...(outputTokens > 0 && { firstTokenS, lastTokenS }),
    endS: rounded(nowS),
    outcome: 'failed',
    error: { kind: 'timeout', message: `not answered when the simulation ended, ${waitedS} s after it came` },
    inputTokens: promptTokens,
    outputTokens,
    tokenSource: 'usage',
    ...eventsOf(gapsUs, streamInterval),
  }
}

/**
 * The events that a client sees of a server that sends the first token at once and then every `interval` of them, the last one with what
 * there is.
 */
function eventsOf(gapsUs: readonly number[], interval: number): Pick<RequestRecord, 'gapsUs' | 'tokensPerEvent'> {
  if (interval === 1) return { gapsUs: [...gapsUs] }
  const gaps: number[] = []
  const tokensPerEvent = [1]
  for (let at = 0; at < gapsUs.length; at += interval) {
    const sent = gapsUs.slice(at, at + interval)
    gaps.push(sent.reduce((sum, gap) => sum + gap, 0))
    tokensPerEvent.push(sent.length)
  }
  return { gapsUs: gaps, tokensPerEvent }
}
