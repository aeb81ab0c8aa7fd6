import { greatestWhole } from '../../core/index.ts'
import { PREFILL_SHARE } from './prompt-reading.ts'
import { type SplitLoad, type SplitWay, splitHolds } from './split-way.ts'

/** So many instances of each, and what those that answer then have. */
export interface FewestPools {
  readonly prefill: number
  readonly decode: number
  readonly gpus: number
  readonly load: SplitLoad
}

/**
 * No fewer instances than these can hold so many requests a second: what an instance that answers can take alone, what one reads to its useful
 * share, and what the links carry. Their GPUs are a bound on those of `fewestPools` that costs nothing to ask.
 */
export function leastPools(
  { most, reader, transferS, size }: SplitWay,
  requestsPerSecond: number,
): Pick<FewestPools, 'prefill' | 'decode' | 'gpus'> {
  const linked = whole((requestsPerSecond * transferS) / PREFILL_SHARE)
  const prefill = Math.max(linked, whole(requestsPerSecond / (PREFILL_SHARE * reader.requestsPerSecond)))
  const decode = Math.max(linked, whole(requestsPerSecond / most.requestsPerSecond))
  return { prefill, decode, gpus: prefill * size.prefill + decode * size.decode }
}

const whole = (count: number): number => Math.max(1, Math.ceil(count * (1 - 1e-9)))

/**
 * The instances that take the fewest GPUs and hold the objective at so many requests a second. More of either kind never hold less, so that the
 * pairs that do lie above a falling line, and the fewest GPUs on it:
 *
 *     instances that answer
 *       │ ·  ╲ ● ● ● ●        ● holds
 *       │ ·  · ╲ ● ● ●        o fewest GPUs: p·G_p + d·G_d
 *       │ ·  · · o ● ●
 *       │ ·  · · · ╲───── no fewer answer, however many read
 *       └────────────── instances that read
 *
 * Undefined where so many are more than any number holds in time.
 */
export function fewestPools(way: SplitWay, requestsPerSecond: number): FewestPools | undefined {
  const { size } = way
  const least = leastPools(way, requestsPerSecond)
  const decodeFor = (prefill: number): number | undefined =>
    leastWhole(least.decode, (decode) => splitHolds(way, prefill, decode, requestsPerSecond) !== undefined)
  const first = leastWhole(least.prefill, (prefill) => decodeFor(prefill) !== undefined)
  if (first === undefined) return undefined
  let best: Omit<FewestPools, 'load'> | undefined
  for (let prefill = first; ; prefill++) {
    if (best !== undefined && prefill * size.prefill + least.decode * size.decode >= best.gpus) break
    const decode = decodeFor(prefill)
    if (decode === undefined) break
    const gpus = prefill * size.prefill + decode * size.decode
    if (best === undefined || gpus < best.gpus) best = { prefill, decode, gpus }
  }
  const load = best && splitHolds(way, best.prefill, best.decode, requestsPerSecond)
  return best && load && { ...best, load }
}

/** So many times the least that there can be, and nothing helps that has not helped yet. */
const FARTHEST = 4096

/** The least whole number from `from` on for which it holds; from there on it does for all. */
function leastWhole(from: number, holds: (count: number) => boolean): number | undefined {
  if (holds(from)) return from
  let [low, high] = [from, 2 * from]
  while (!holds(high)) {
    if (!(high <= FARTHEST * from)) return undefined
    ;[low, high] = [high, 2 * high]
  }
  return greatestWhole(low, high, (count) => !holds(count)) + 1
}
