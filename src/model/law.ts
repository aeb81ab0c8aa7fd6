import { parseDuration, TwospeedError } from '../core/index.ts'

/**
 * The step-time law. One decode step of a batch B takes
 *
 *     T(B) = a + b·B + c·K/1000 + d·P + m·(1 − (1 − k/E)^B)
 *
 * K tokens of KV cache read by the step, P prefill tokens mixed into it; of a mixture of experts, m to read all E of a layer, of which
 * each token is sent to k. Every stream gets a token a step, so a user sees 1/T and the server makes B/T. All in seconds.
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
  /** m, and k of E: what a step adds that reads all routed experts. It reads those that its tokens are sent to. */
  readonly experts?: { readonly active: number; readonly all: number; readonly seconds: number }
}

export interface Step {
  /** Sequences that decode. */
  readonly batch: number
  readonly kvTokens?: number
  readonly prefillTokens?: number
}

/** What sequences hold and bring, each of them. */
export interface PerSequence {
  /** KV tokens that one holds while it decodes, in the mean. */
  readonly contextTokens?: number
  /** Prefill tokens that come with each token it gets. */
  readonly promptTokens?: number
  /**
   * Which share of the prompts is of other users. A stream never meets its own, so that of n users in a closed loop it meets those of
   * n − 1, and a lone one none. Absent: all.
   */
  readonly othersShare?: number
}

/** A step of so many sequences that decode, each with its context and its share of prefill. */
export type Place = PerSequence & { readonly batch: number }

/** What a law says of a step there. */
export function timeOf(law: Law, place: Place): number {
  const { batch, contextTokens = 0 } = place
  return stepSeconds(law, { batch, kvTokens: batch * contextTokens, prefillTokens: prefillAt(place) })
}

/** The prefill tokens that a step meets there. */
export function prefillAt({ batch, promptTokens = 0, othersShare = 1 }: Place): number {
  return batch * promptTokens * othersShare
}

export function stepSeconds(law: Law, step: Step): number {
  const { batch, kvTokens = 0, prefillTokens = 0 } = step
  const { baseS, perSequenceS, perThousandKvTokensS = 0, perPrefillTokenS = 0, experts } = law
  const linear = baseS + perSequenceS * batch + (perThousandKvTokensS * kvTokens) / 1000
  const touched = experts === undefined ? 0 : experts.seconds * touchedShare(experts, batch)
  return linear + perPrefillTokenS * prefillTokens + touched
}

/** The share of E experts that B tokens touch, each sent to k of them, all alike: 1 − (1 − k/E)^B. DeepSeek's 8 of 256 at B = 8: 57 of 256. */
export function touchedShare(
  { active, all }: { readonly active: number; readonly all: number },
  batch: number,
): number {
  return 1 - (1 - active / all) ** batch
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
  const { a, b, c, d, experts } = typeof source === 'string' ? termsOfText(source) : termsOfFit(source)
  if (a === undefined || b === undefined) return refuse(`${a === undefined ? 'a' : 'b'} is missing`)
  // A step of less than a nanosecond is a slip, and its pace leaves the numbers.
  if (a + b + (experts?.seconds ?? 0) < 1e-9) refuse('a step would take no time: every term is 0, or as good as that')
  return {
    baseS: a,
    perSequenceS: b,
    ...(c === undefined ? {} : { perThousandKvTokensS: c }),
    ...(d === undefined ? {} : { perPrefillTokenS: d }),
    ...(experts === undefined ? {} : { experts }),
  }
}

const NAMES = ['a', 'b', 'c', 'd'] as const
type Name = (typeof NAMES)[number]
type Terms = Partial<Record<Name, number>> & Pick<Law, 'experts'>

function termsOfText(text: string): Terms {
  const terms: Partial<Record<Name, number>> = {}
  const wrong: string[] = []
  for (const part of text.split(',')) {
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(part.trim()) ?? []
    const name = NAMES.find((known) => known === key.trim())
    const parsed = termOf(value.trim())
    if (name === undefined) wrong.push(`"${part.trim()}" is none of a=…, b=…, c=…, d=…`)
    else if (parsed === undefined) wrong.push(`${name}="${value.trim()}" is no duration with its unit`)
    else if (terms[name] !== undefined) wrong.push(`${name} is given twice`)
    else terms[name] = parsed
  }
  return wrong.length > 0 ? refuse(wrong.join('; ')) : terms
}

/** Nothing needs no unit, and what a token adds may be nanoseconds. */
function termOf(text: string): number | undefined {
  if (/^0+(\.0+)?$/.test(text)) return 0
  const [, ns] = /^(\d+(?:\.\d+)?)ns$/.exec(text) ?? []
  return ns === undefined ? parseDuration(text) : Number(ns) * 1e-9
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
  const keys = { a: 'base', b: 'perSequence', c: 'perThousandKvTokens', d: 'perPrefillToken' } as const
  const terms: Partial<Record<Name, number>> = {}
  for (const name of NAMES) {
    const ms = field(stepMs, keys[name])
    if (ms === undefined) continue
    if (!isAmount(ms)) return refuse(`stepMs.${keys[name]} is not a time`)
    terms[name] = ms / 1000
  }
  const experts = field(stepMs, 'experts')
  return experts === undefined ? terms : { ...terms, experts: expertsOf(experts) }
}

function expertsOf(json: unknown): NonNullable<Law['experts']> {
  const [active, all, ms] = ['active', 'all', 'ms'].map((key) => field(json, key))
  if (!isAmount(ms)) return refuse('stepMs.experts.ms is not a time')
  if (!isAmount(active) || !isAmount(all) || active === 0 || active > all) {
    return refuse('stepMs.experts: active must be above 0 and at most all')
  }
  return { active, all, seconds: ms / 1000 }
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
