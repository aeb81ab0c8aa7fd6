import { ERROR_KINDS, type RequestRecord, TwospeedError } from '../core/index.ts'

/**
 * One line of `requests.jsonl`. Checked by hand, for a run may hold a million lines; keys of later versions are tolerated.
 *
 * Throws INVALID_RUN with every problem of the line. A time that runs backwards is one: a negative duration is never reported.
 */
export function parseRecord(line: string, lineNumber?: number): RequestRecord {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw invalid(lineNumber, ['it is not JSON'])
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(lineNumber, ['it is not an object'])
  }
  const problems = problemsOf(value as Fields)
  if (problems.length > 0) throw invalid(lineNumber, problems)
  return value as RequestRecord
}

/** A record's keys before anything is known of their values. */
type Fields = { readonly [K in keyof RequestRecord]?: unknown }

const OUTCOMES: ReadonlySet<unknown> = new Set(['ok', 'failed', 'cancelled', 'dropped'])
const SOURCES: ReadonlySet<unknown> = new Set(['usage', 'tokenizer', 'events'])
const KINDS: ReadonlySet<unknown> = new Set(ERROR_KINDS)

/** Instants are told apart to the microsecond, so one that seems earlier by the last bit of a division is not. */
const SLACK_S = 1e-6
/** Gaps are differences of rounded times and add up to the interval; more than this apart they tell of another stream. */
const INTERVAL_SLACK_S = 1e-3

const COUNTS = ['inputTokens', 'cachedInputTokens', 'askedInputTokens', 'askedOutputTokens'] as const
const COURSE = ['sentS', 'firstByteS', 'firstTokenS', 'lastTokenS', 'endS'] as const
const SCHEDULE = ['scheduledS', 'firstTokenS'] as const

function problemsOf(record: Fields): string[] {
  const problems: string[] = []
  const need = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem)
  }
  const { firstTokenS, lastTokenS, gapsUs, tokensPerEvent } = record

  need(typeof record.id === 'string' && record.id !== '', 'id must be a text')
  need(isCount(record.point), 'point must be a whole number from 0 on')
  need(OUTCOMES.has(record.outcome), 'outcome must be ok, failed, cancelled or dropped')
  need(SOURCES.has(record.tokenSource), 'tokenSource must be usage, tokenizer or events')
  need(isCount(record.outputTokens), 'outputTokens must be a whole number from 0 on')
  for (const key of COUNTS) {
    if (record[key] !== undefined && !isCount(record[key])) problems.push(`${key} must be a whole number from 0 on`)
  }
  need(record.choices === undefined || (isCount(record.choices) && record.choices > 0), 'choices must be at least 1')
  need(
    record.connectMs === undefined || (isNumber(record.connectMs) && record.connectMs >= 0),
    'connectMs must not be negative',
  )
  need(record.finishReason === undefined || typeof record.finishReason === 'string', 'finishReason must be a text')

  need(record.sentS !== undefined, 'sentS is missing')
  need(record.endS !== undefined, 'endS is missing')
  need((firstTokenS === undefined) === (lastTokenS === undefined), 'firstTokenS and lastTokenS come together')
  inOrder(record, COURSE, problems)
  inOrder(record, SCHEDULE, problems)

  if (isCounts(gapsUs)) {
    need(firstTokenS !== undefined || gapsUs.length === 0, 'gapsUs without firstTokenS')
    if (isNumber(firstTokenS) && isNumber(lastTokenS)) {
      need(
        Math.abs(lastTokenS - firstTokenS - sumOf(gapsUs) / 1e6) <= INTERVAL_SLACK_S,
        'gapsUs do not add up to lastTokenS − firstTokenS',
      )
    }
    if (tokensPerEvent !== undefined) {
      const fits = isCounts(tokensPerEvent) && tokensPerEvent.length === gapsUs.length + 1
      need(fits, 'tokensPerEvent must be whole numbers from 0 on, one for each event')
    }
  } else problems.push('gapsUs must be a list of whole numbers from 0 on')
  if (record.outcome === 'dropped') need(firstTokenS === undefined, 'a dropped request has no token')
  if (record.outcome === 'failed') need(record.error !== undefined, 'a failed request has an error')
  if (record.outcome === 'ok') need(record.error === undefined, 'an ok request has no error')
  if (record.error !== undefined) need(isFault(record.error), 'error must hold a known kind and a message')
  return problems
}

function sumOf(values: readonly number[]): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at] ?? 0
  return sum
}

/** Adds a problem for each instant that is no number or comes before one that precedes it in the list. */
function inOrder(record: Fields, keys: readonly (keyof Fields)[], problems: string[]): void {
  let before: keyof Fields | undefined
  let earliest: number | undefined
  for (const key of keys) {
    const instant = record[key]
    if (instant === undefined) continue
    if (!isNumber(instant)) {
      problems.push(`${key} must be a number`)
      continue
    }
    if (earliest !== undefined && instant < earliest - SLACK_S) problems.push(`${key} is before ${before}`)
    before = key
    earliest = instant
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function isCounts(value: unknown): value is readonly number[] {
  if (!Array.isArray(value)) return false
  for (const item of value) {
    if (!isCount(item)) return false
  }
  return true
}

function isFault(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { kind, message, status } = error as { readonly kind?: unknown; readonly message?: unknown; status?: unknown }
  return KINDS.has(kind) && typeof message === 'string' && (status === undefined || isCount(status))
}

const invalid = (lineNumber: number | undefined, problems: readonly string[]): TwospeedError =>
  new TwospeedError(
    'INVALID_RUN',
    `${lineNumber === undefined ? 'A request record' : `Line ${lineNumber} of the request records`}: ${problems.join('; ')}.`,
    'The records of a run are written by `twospeed measure`; this file was changed or damaged since.',
  )
