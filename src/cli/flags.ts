import { InvalidArgumentError, Option } from 'commander'
import { parseDuration, parseLengths } from '../core/index.ts'

/**
 * How a flag's text becomes a value; the same everywhere. Each refuses what it cannot read, so that NaN never gets in, and refuses to
 * be given twice. Durations need a unit: a bare number would be a guess.
 */
type Parse<T> = (text: string) => T

export function refuse(what: string): never {
  throw new InvalidArgumentError(what)
}

export const count: Parse<number> = (text) =>
  /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : refuse('It takes a whole number of at least 1.')

export const wholeNumber: Parse<number> = (text) =>
  /^\d{1,15}$/.test(text) ? Number(text) : refuse('It takes a whole number.')

const isNumber = (text: string): boolean => /^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)

export const amount: Parse<number> = (text) => {
  const value = isNumber(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) && value > 0 ? value : refuse('It takes a number greater than 0.')
}

export const fromZero: Parse<number> = (text) => {
  const value = isNumber(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : refuse('It takes a number from 0 on.')
}

export const share: Parse<number> = (text) => {
  const value = amount(text)
  return value <= 1 ? value : refuse('It takes a share between 0 and 1, such as 0.9.')
}

/** Seconds. */
export const duration: Parse<number> = (text) => {
  const value = parseDuration(text)
  return value !== undefined && value > 0
    ? value
    : refuse('It takes a duration with its unit, such as 30s, 500ms or 10m.')
}

export const counts: Parse<readonly number[]> = (text) => text.split(',').map((part) => count(part.trim()))

export const wholeNumbers: Parse<readonly number[]> = (text) => text.split(',').map((part) => wholeNumber(part.trim()))

/** A number as such, a distribution as its text. */
export const lengths: Parse<number | string> = (text) => {
  const parsed = parseLengths(text)
  if (parsed === undefined)
    return refuse(
      'It takes a whole number of at least 1, or such as uniform:100-200, normal:400,50, lognormal:400,0.6.',
    )
  return parsed.kind === 'fixed' ? parsed.tokens : text
}

/** What follows a flag that lacks its value is the next flag. */
export const word: Parse<string> = (text) =>
  text.trim() === '' || /^--[a-z]/.test(text) ? refuse('It takes a value.') : text

export const endpointName: Parse<'chat' | 'completions' | 'responses'> = (text) =>
  text === 'chat' || text === 'completions' || text === 'responses'
    ? text
    : refuse('It takes chat, completions or responses.')

/** An option that may be given several times; what it holds is not looked at here, since a refusal would repeat a secret. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, before: readonly string[] = []) => [...before, text])
}

/** An option that takes one value and may be given once. */
export function flag<T>(flags: string, description: string, parse: Parse<T>): Option {
  let seen = false
  return new Option(flags, description).argParser((text) => {
    if (seen) throw new InvalidArgumentError('given twice')
    seen = true
    return parse(text)
  })
}
