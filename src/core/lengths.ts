import type { Random } from './random.ts'

/**
 * How long prompts or answers are to be, in tokens: all alike, or drawn anew for each request.
 *
 * - `uniform:100-200`: every whole number from 100 to 200, both among them, as often as another
 * - `normal:400,50`: mean 400, standard deviation 50
 * - `lognormal:400,0.6`: median 400, and 0.6 the standard deviation of the natural logarithm, so that two in three lie between 400/e^0.6
 *   and 400·e^0.6 (220 and 729); the mean is 400·e^(0.6²/2) = 479
 *
 * What is drawn is rounded to a whole number and never under 1.
 */
export type Lengths =
  | { readonly kind: 'fixed'; readonly tokens: number }
  | { readonly kind: 'uniform'; readonly least: number; readonly most: number }
  | { readonly kind: 'normal'; readonly mean: number; readonly deviation: number }
  | { readonly kind: 'lognormal'; readonly median: number; readonly sigma: number }

/** Lengths of one request that belong together. */
export interface LengthPair {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Beyond it no context is, and a slip of the hand may be: ten million words are 53 MB of a body. */
export const MOST_TOKENS = 1e7

const NUMBER = String.raw`(\d+(?:\.\d+)?)`
const FORM = new RegExp(`^(?:(uniform):${NUMBER}-${NUMBER}|(normal|lognormal):${NUMBER},${NUMBER}|(\\d+))$`)

/** `512`, `uniform:100-200`, `normal:400,50` or `lognormal:400,0.6`; undefined where the text is none of them, or a length no length. */
export function parseLengths(text: string): Lengths | undefined {
  const [, uniform, low, high, bell, centre, spread, plain] = FORM.exec(text.replace(/\s+/g, '')) ?? []
  const isLength = (tokens: number): boolean => tokens >= 1 && tokens <= MOST_TOKENS
  if (plain !== undefined) {
    return isLength(Number(plain)) ? { kind: 'fixed', tokens: Number(plain) } : undefined
  }
  if (uniform !== undefined) {
    const [least, most] = [Number(low), Number(high)]
    const whole = Number.isInteger(least) && Number.isInteger(most)
    return whole && isLength(least) && isLength(most) && least <= most ? { kind: 'uniform', least, most } : undefined
  }
  if (bell === undefined || !isLength(Number(centre))) return undefined
  if (bell === 'normal') return { kind: 'normal', mean: Number(centre), deviation: Number(spread) }
  // e^(4·sigma) is what one draw in 30 000 exceeds the median by.
  return Number(spread) <= 4 ? { kind: 'lognormal', median: Number(centre), sigma: Number(spread) } : undefined
}

/** One length, whole and at least 1. */
export function drawLength(lengths: Lengths, random: Random): number {
  switch (lengths.kind) {
    case 'fixed':
      return lengths.tokens
    case 'uniform':
      return lengths.least + random.below(lengths.most - lengths.least + 1)
    case 'normal':
      return atLeastOne(lengths.mean + lengths.deviation * standardNormal(random))
    case 'lognormal':
      return atLeastOne(lengths.median * Math.exp(lengths.sigma * standardNormal(random)))
  }
}

/** The expected length before rounding, and before what lies under 1 is taken for 1; whole, and at least 1. */
export function meanLength(lengths: Lengths): number {
  switch (lengths.kind) {
    case 'fixed':
      return lengths.tokens
    case 'uniform':
      return atLeastOne((lengths.least + lengths.most) / 2)
    case 'normal':
      return atLeastOne(lengths.mean)
    case 'lognormal':
      return atLeastOne(lengths.median * Math.exp(lengths.sigma ** 2 / 2))
  }
}

const atLeastOne = (tokens: number): number => Math.min(MOST_TOKENS, Math.max(1, Math.round(tokens)))

/** Box and Muller's transform (1958): √(−2 ln u)·cos(2πv) of two uniform numbers, u never 0. */
function standardNormal(random: Random): number {
  const u = 1 - random.next()
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random.next())
}
