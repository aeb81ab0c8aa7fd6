import { parseDuration, TwospeedError } from '../core/index.ts'

/**
 * The step-time law. One decode step of a batch B takes
 *
 *     T(B) = a + b·B + c·K/1000 + d·P
 *
 * K tokens of KV cache read by the step, P prefill tokens mixed into it. Every stream gets a token a step, so a user sees 1/T and the
 * server makes B/T. All in seconds.
 */
export interface Law {
  /** a: what a step costs however few take part, mostly reading the weights. */
  readonly baseS: number
  /** b: what each further sequence adds. */
  readonly perSequenceS: number
  /** c: per thousand KV tokens that the step reads, over all its sequences. */
  readonly perThousandKvTokensS?: number
  /** d: per prefill token mixed into the step. */
  readonly perPrefillTokenS?: number
}

export interface Step {
  /** Sequences that decode. */
  readonly batch: number
  readonly kvTokens?: number
  readonly prefillTokens?: number
}

export function stepSeconds(law: Law, step: Step): number {
  const { batch, kvTokens = 0, prefillTokens = 0 } = step
  const { baseS, perSequenceS, perThousandKvTokensS = 0, perPrefillTokenS = 0 } = law
  return baseS + perSequenceS * batch + (perThousandKvTokensS * kvTokens) / 1000 + perPrefillTokenS * prefillTokens
}

const EXAMPLE = 'A law looks like a=5ms,b=0.25ms; c (per thousand KV tokens) and d (per prefill token) may follow.'

function refuse(what: string): never {
  throw new TwospeedError('INVALID_VALUE', `--law: ${what}`, EXAMPLE)
}

/**
 * Reads a law: the text `a=5ms,b=0.25ms[,c=0.01ms][,d=0.02ms]`, or the parsed JSON of a fit (`{fit: {stepMs}}`, a run, or the fit itself).
 * Throws INVALID_VALUE, which names every term that is wrong.
 */
export function parseLaw(source: unknown): Law {
  const terms = typeof source === 'string' ? termsOfText(source) : termsOfFit(source)
  const { a, b, c, d } = terms
  if (a === undefined || b === undefined) return refuse(`${a === undefined ? 'a' : 'b'} is missing`)
  if (a + b === 0) refuse('a and b are both 0, so a step would take no time')
  return {
    baseS: a,
    perSequenceS: b,
    ...(c === undefined ? {} : { perThousandKvTokensS: c }),
    ...(d === undefined ? {} : { perPrefillTokenS: d }),
  }
}

const NAMES = ['a', 'b', 'c', 'd'] as const
type Name = (typeof NAMES)[number]
type Terms = Partial<Record<Name, number>>

function termsOfText(text: string): Terms {
  const terms: Terms = {}
  const wrong: string[] = []
  for (const part of text.split(',')) {
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(part.trim()) ?? []
    const name = NAMES.find((known) => known === key.trim())
    const parsed = parseDuration(value)
    if (name === undefined) wrong.push(`"${part.trim()}" is none of a=…, b=…, c=…, d=…`)
    else if (parsed === undefined) wrong.push(`${name}="${value.trim()}" is no duration with its unit`)
    else if (terms[name] !== undefined) wrong.push(`${name} is given twice`)
    else terms[name] = parsed
  }
  return wrong.length > 0 ? refuse(wrong.join('; ')) : terms
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? (value as Record<string, unknown>)[key]
    : undefined
}

function termsOfFit(json: unknown): Terms {
  const fit = field(json, 'fit') ?? json
  const stepMs = field(fit, 'stepMs')
  if (stepMs === undefined) return refuse('the file holds no fit with stepMs')
  if (field(stepMs, 'experts') !== undefined)
    return refuse('the file holds a law with an expert term, not an affine one')
  const keys = { a: 'base', b: 'perSequence', c: 'perThousandKvTokens', d: 'perPrefillToken' } as const
  const terms: Terms = {}
  for (const name of NAMES) {
    const ms = field(stepMs, keys[name])
    if (ms === undefined) continue
    if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0) return refuse(`stepMs.${keys[name]} is not a time`)
    terms[name] = ms / 1000
  }
  return terms
}
