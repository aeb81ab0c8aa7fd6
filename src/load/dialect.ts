import type { RequestFault } from '../core/index.ts'
import { requestBody } from '../wire/index.ts'
import type { Endpoint } from './target.ts'

/** How one server wants to be asked: the fields beside model, prompt and stream. */
export interface Dialect {
  readonly endpoint: Endpoint
  readonly model: string
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
  /** Never stop before the limit: a vLLM extension that many engines take. */
  readonly ignoreEos: boolean
  /** The same by a floor under the length; engines pay for it at every step, so it is asked for only where the other does not work. */
  readonly minTokens: boolean
  /** Ask for `usage` in the last chunk. */
  readonly includeUsage: boolean
}

/** What every server takes; all that is sent where nothing was found out. */
export function plainDialect(endpoint: Endpoint, model: string): Dialect {
  return { endpoint, model, limitField: 'max_tokens', ignoreEos: false, minTokens: false, includeUsage: true }
}

export function bodyOf(dialect: Dialect, prompt: string, outputTokens: number): string {
  const { endpoint, model, limitField, ignoreEos, minTokens, includeUsage } = dialect
  return JSON.stringify(
    requestBody(endpoint, {
      model,
      prompt,
      outputTokens,
      limitField,
      ...(ignoreEos && { ignoreEos }),
      ...(minTokens && { minTokens: outputTokens }),
      includeUsage,
    }),
  )
}

const MARK = '"<prompt>"'

/** Bodies that differ in their prompt alone: the rest is encoded once, and a prompt of plain words needs no escapes. */
export function bodyMaker(dialect: Dialect, outputTokens: number): (words: string) => string {
  const [before = '', after = ''] = bodyOf(dialect, JSON.parse(MARK), outputTokens).split(MARK)
  return (words) => `${before}"${words}"${after}`
}

const UNKNOWN = /unsupported|not supported|unknown|unrecognized|unexpected|extra|not permitted|not allowed|invalid/i
const ABOUT_LENGTH = /context|too (large|long|many)|exceed|at most|maximum|greater than|less than/i

/**
 * The dialect without what a refusal (400 or 422) names; where it names nothing, without the extensions and then without usage, one step
 * a refusal. Undefined when there is nothing to give up, or the refusal is about something else.
 */
export function retreat(dialect: Dialect, fault: RequestFault): Dialect | undefined {
  if (fault.kind !== 'http' || (fault.status !== 400 && fault.status !== 422)) return undefined
  const names = (field: string): boolean => new RegExp(`\\b${field}\\b`, 'i').test(fault.message)
  const next = {
    ...dialect,
    ignoreEos: dialect.ignoreEos && !names('ignore_eos'),
    minTokens: dialect.minTokens && !names('min_tokens'),
    includeUsage: dialect.includeUsage && !names('stream_options') && !names('include_usage'),
  }
  const gaveUp = (Object.keys(next) as (keyof Dialect)[]).some((key) => next[key] !== dialect[key])
  if (gaveUp) return next
  if (dialect.endpoint === 'chat' && dialect.limitField === 'max_tokens') {
    const wanted = names('max_completion_tokens') || (names('max_tokens') && UNKNOWN.test(fault.message))
    if (wanted && !ABOUT_LENGTH.test(fault.message)) return { ...dialect, limitField: 'max_completion_tokens' }
  }
  if (ABOUT_LENGTH.test(fault.message) || /\bmodel\b/i.test(fault.message)) return undefined
  if (dialect.ignoreEos || dialect.minTokens) return { ...dialect, ignoreEos: false, minTokens: false }
  return dialect.includeUsage ? { ...dialect, includeUsage: false } : undefined
}
