import type { Outcome, RequestFault, RequestRecord } from '../../core/index.ts'
import type { Answer } from '../../wire/index.ts'

/** One request, as it is asked for. */
export interface Exchange {
  readonly id: string
  /** Index into the run's points. */
  readonly point: number
  readonly scheduledS?: number
  /** JSON. */
  readonly body: string | Uint8Array
  readonly askedInputTokens?: number
  readonly askedOutputTokens?: number
  /** Whose request it is, where the next one goes on from its answer. */
  readonly user?: number
  /** The answer's text is wanted: tokens will be counted from it. */
  readonly keepText?: boolean
}

/** How it went, in microseconds of the run's clock. */
interface Course {
  /** Where it was never sent: when that was tried. */
  readonly sentUs: number
  readonly connectMs: number | undefined
  readonly firstByteUs: number | undefined
  readonly endUs: number
  readonly outcome: Outcome
  readonly error: RequestFault | undefined
}

const seconds = (us: number): number => Math.round(us) / 1e6

export function recordOf(exchange: Exchange, answer: Answer, course: Course): RequestRecord {
  const { id, point, scheduledS, askedInputTokens, askedOutputTokens } = exchange
  const { firstTokenUs, lastTokenUs, finishReason, inputTokens, cachedInputTokens, tokensPerEvent, choices } = answer
  const { sentUs, connectMs, firstByteUs, endUs, outcome, error } = course
  return {
    id,
    point,
    ...(scheduledS !== undefined && { scheduledS }),
    sentS: seconds(sentUs),
    ...(connectMs !== undefined && { connectMs }),
    ...(firstByteUs !== undefined && { firstByteS: seconds(firstByteUs) }),
    ...(firstTokenUs !== undefined && { firstTokenS: seconds(firstTokenUs) }),
    ...(lastTokenUs !== undefined && { lastTokenS: seconds(lastTokenUs) }),
    endS: seconds(endUs),
    outcome,
    ...(error !== undefined && { error }),
    ...(finishReason !== undefined && { finishReason }),
    ...(askedInputTokens !== undefined && { askedInputTokens }),
    ...(askedOutputTokens !== undefined && { askedOutputTokens }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    outputTokens: answer.outputTokens,
    tokenSource: answer.tokenSource,
    gapsUs: answer.gapsUs,
    ...(tokensPerEvent !== undefined && { tokensPerEvent }),
    ...(choices !== undefined && { choices }),
  }
}

/** Of one of which nothing came, and nobody knows whether it was sent. */
export function lostRecordOf(exchange: Exchange, askedUs: number, endUs: number): RequestRecord {
  const nothing = { events: 0, outputTokens: 0, tokenSource: 'events', gapsUs: [] } as const
  const course = { connectMs: undefined, firstByteUs: undefined, error: undefined, outcome: 'cancelled' } as const
  return recordOf(exchange, nothing, { ...course, sentUs: askedUs, endUs })
}
