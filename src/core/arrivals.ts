import { createRandom, type Random } from './random.ts'

/**
 * How requests arrive at a mean rate: evenly, or with independent gaps of a gamma distribution.
 *
 *     burstiness 0.25   ·· ·  ···           ·  ··            CV² = 4
 *     burstiness 1      ·   ·  ·       · ·     ·    ·        CV² = 1: Poisson, people who do not know of each other
 *     burstiness 4      ·     ·   ·     ·     ·   ·          CV² = 1/4
 *     constant          ·    ·    ·    ·    ·    ·           CV² = 0
 *
 * Burstiness is the shape of the gamma distribution, as other load generators have it: CV² of the gaps, variance over squared mean, is
 * one over it.
 */
export type ArrivalProcess =
  | { readonly kind: 'constant' }
  | { readonly kind: 'poisson' }
  | { readonly kind: 'gamma'; readonly burstiness: number }

export interface ArrivalPlan {
  readonly process: ArrivalProcess
  /** Per second. */
  readonly rate: number
  /** The rate grows evenly from 0 to `rate` over this long; default: it is there at once. */
  readonly rampS?: number
  readonly seed: number | string
}

/**
 * The times of arrivals, in seconds from the start, ascending, without end. Each is a function of the seed and its number, not of when it
 * was asked for: who sleeps too long is late for one arrival and not for all that follow.
 */
export function* arrivalsOf({ process, rate, rampS = 0, seed }: ArrivalPlan): Generator<number, never> {
  const random = createRandom(seed)
  for (let turns = 0; ; ) {
    turns += gapOf(process, random)
    yield timeOf(turns, rate, rampS)
  }
}

/**
 * When a process of one arrival a second, run on the clock Λ(t) = ∫ rate, has come to `turns`. A Poisson process stays one.
 *
 *     Λ(t) = rate·t²/(2·ramp)  up to the ramp's end, where it is rate·ramp/2;  rate·(t − ramp/2) after
 */
function timeOf(turns: number, rate: number, rampS: number): number {
  const isRamp = turns < (rate * rampS) / 2
  return isRamp ? Math.sqrt((2 * rampS * turns) / rate) : turns / rate + rampS / 2
}

/** A gap of mean 1. */
function gapOf(process: ArrivalProcess, random: Random): number {
  switch (process.kind) {
    case 'constant':
      return 1
    case 'poisson':
      return exponential(random)
    case 'gamma':
      return gamma(process.burstiness, random) / process.burstiness
  }
}

/** Of mean 1. */
export const exponential = (random: Random): number => -Math.log(1 - random.next())

/**
 * Of mean and variance `shape`. G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000); for a shape below
 * 1, G(shape) = G(shape + 1) · U^(1/shape).
 */
function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random.next()) ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    // Standard normal, by Box and Muller.
    const x = Math.sqrt(2 * exponential(random)) * Math.cos(2 * Math.PI * random.next())
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random.next()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v
  }
}
