import type { RequestFault } from '../../core/index.ts'
import { requestBody } from '../../wire/index.ts'
import type { Endpoint } from './target.ts'

/** How one server wants to be asked: the fields beside model, prompt and stream. */
export interface Dialect {
  readonly endpoint: Endpoint
  readonly model: string
  readonly limitField: 'max_tokens' | 'max_completion_tokens' | 'max_output_tokens'
  /** Never stop before the limit: a vLLM extension that many engines take. */
  readonly ignoreEos: boolean
  /** The same by a floor under the length; engines pay for it at every step, so it is asked for only where the other does not work. */
  readonly minTokens: boolean
  /** Ask for `usage` in the last chunk; Responses sends it unasked. */
  readonly includeUsage: boolean
  /** Responses: ask that the answers be not kept. A load test makes thousands that nobody reads again. */
  readonly store?: false
  /** What the user wants in every body beside. */
  readonly extraBody?: Readonly<Record<string, unknown>>
}

/** What every server takes; all that is sent where nothing was found out. */
export function plainDialect(endpoint: Endpoint, model: string, extraBody?: Dialect['extraBody']): Dialect {
  const common = { endpoint, model, ignoreEos: false, minTokens: false, ...(extraBody && { extraBody }) }
  return endpoint === 'responses'
    ? { ...common, limitField: 'max_output_tokens', includeUsage: false, store: false }
    : { ...common, limitField: 'max_tokens', includeUsage: true }
}

export function bodyOf(dialect: Dialect, prompt: string, outputTokens: number): string {
  const { endpoint, model, limitField, ignoreEos, minTokens, includeUsage, store, extraBody } = dialect
  return JSON.stringify({
    ...requestBody(endpoint, {
      model,
      prompt,
      outputTokens,
      limitField,
      ...(ignoreEos && { ignoreEos }),
      ...(minTokens && { minTokens: outputTokens }),
      includeUsage,
      ...(store !== undefined && { store }),
    }),
    ...extraBody,
  })
}

/** The dialect with the limit's other name, where it has one: a server that knows only that one may pass over this in silence. */
export function otherLimit(dialect: Dialect): Dialect | undefined {
  return dialect.endpoint === 'chat' && dialect.limitField === 'max_tokens'
    ? { ...dialect, limitField: 'max_completion_tokens' }
    : undefined
}

const UNKNOWN = /unsupported|not supported|unknown|unrecognized|unexpected|extra|not permitted|not allowed|invalid/i
const ABOUT_LENGTH = /context|too (large|long|many)|exceed|at most|maximum|minimum|greater than|less than/i

/**
 * The dialect without what a refusal (400 or 422) names; where it names nothing, without the extensions and then without usage, one step
 * a refusal. Undefined when there is nothing to give up, or the refusal is about something else.
 */
export function retreat(dialect: Dialect, fault: RequestFault): Dialect | undefined {
  if (fault.kind !== 'http' || (fault.status !== 400 && fault.status !== 422)) return undefined
  const names = (field: string): boolean => new RegExp(`\\b${field}\\b`, 'i').test(fault.message)
  const { store, ...rest } = dialect
  const next: Dialect = {
    ...rest,
    ignoreEos: dialect.ignoreEos && !names('ignore_eos'),
    minTokens: dialect.minTokens && !names('min_tokens'),
    includeUsage: dialect.includeUsage && !names('stream_options') && !names('include_usage'),
    ...(store !== undefined && !names('store') && { store }),
  }
  const gaveUp = (Object.keys(dialect) as (keyof Dialect)[]).some((key) => next[key] !== dialect[key])
  if (gaveUp) return next
  const other = otherLimit(dialect)
  if (other !== undefined) {
    const wanted = names('max_completion_tokens') || (names('max_tokens') && UNKNOWN.test(fault.message))
    if (wanted && !ABOUT_LENGTH.test(fault.message)) return other
  }
  if (ABOUT_LENGTH.test(fault.message) || /\bmodel\b/i.test(fault.message)) return undefined
  if (dialect.ignoreEos || dialect.minTokens) return { ...dialect, ignoreEos: false, minTokens: false }
  return dialect.includeUsage ? { ...dialect, includeUsage: false } : undefined
}
