import { type Amount, checkAmounts, RANGES, TwospeedError } from '../../core/index.ts'
import type { Link } from '../pools/link.ts'
import type { Pool } from '../pools/split.ts'
import type { Lengths } from '../roofline/configuration.ts'

/** The numbers that a prediction is asked with. */
interface Asked {
  readonly lengths: Lengths
  readonly loads?: readonly number[]
  readonly pricePerHour?: number
  readonly floor?: number
  readonly ttftMs?: number
  readonly gpus?: number
  readonly link?: Link
  readonly prefill?: Pool
  readonly decode?: Pool
}

/** Throws INVALID_VALUE, which names every number that is none, or absurd. */
export function checkAsked(asked: Asked): void {
  const { lengths, loads, pricePerHour, floor, ttftMs, gpus, link } = asked
  checkAmounts([
    ['the input length', lengths.inputTokens, RANGES.tokens],
    ['the output length', lengths.outputTokens, RANGES.tokens],
    ...(loads ?? []).map((load): Amount => ['a load', load, RANGES.inFlight]),
    ['the price of a GPU hour', pricePerHour, RANGES.price],
    ['the floor of pace', floor, RANGES.tokensPerSecond],
    ['the longest wait for a first token, in ms,', ttftMs, RANGES.milliseconds],
    ['the number of GPUs', gpus, RANGES.count],
    ['the bytes a second of the link', link?.bytesPerSecond, { least: 1, most: 1e18 }],
    ['the count of prefill instances', asked.prefill?.count, RANGES.count],
    ['the count of decode instances', asked.decode?.count, RANGES.count],
  ])
  if (loads?.length === 0) throw new TwospeedError('INVALID_VALUE', 'no load is given', 'Leave loads out for all.')
}

/** Ascending, each once. */
export function sortedLoads(loads: readonly number[]): readonly number[] {
  return [...new Set(loads)].sort((a, b) => a - b)
}
