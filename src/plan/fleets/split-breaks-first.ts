import { type BreaksFirst, figure, type Product } from '../../core/index.ts'
import {
  fewestPools,
  PREFILL_SHARE,
  readingCapacity,
  type SplitFleet,
  splitHolds,
  splitLoadAt,
} from '../../model/index.ts'
import { beyondWords } from '../limit-words.ts'
import { gpusOf, rateOf } from '../plan-words.ts'
import { loadOf } from './split-stay.ts'

/** What the fleet of the mean misses first as more comes, and what twice as many get of it. */
export function splitBreaksFirst(
  { way, mean }: SplitFleet,
  product: Product,
  arrivals: number,
  outputTokens: number,
): BreaksFirst {
  const { prefill, decode } = mean
  const most = greatest(arrivals, (rate) => splitHolds(way, prefill, decode, rate) !== undefined)
  const beyond = splitLoadAt(way, prefill, decode, most * (1 + 1e-3))
  const isOfReading = beyond === undefined && most * (1 + 1e-3) < decode * way.most.requestsPerSecond
  const what = isOfReading ? 'ttft' : beyond === undefined ? way.binding : missedOf(beyond, product)
  const missed = {
    floor: `the floor of ${figure(product.tokensPerSecond ?? 0)} tok/s/user breaks first`,
    ttft: isOfReading
      ? beyondWords(readingCapacity(way, prefill, decode).by)
      : `the limit of ${figure(product.ttftMs ?? 0)} ms to the first token breaks first`,
    kv: 'the memory of those that answer is full first',
    serverLimit: 'requests wait for a place first: those that answer decode no more at once',
  }[what]
  const twice = 2 * arrivals
  const holds = twice <= most
  const needed = fewestPools(way, twice)
  const load = splitLoadAt(way, prefill, decode, twice)
  const perReplica = load && loadOf(load, twice / decode, outputTokens)
  const doubled =
    perReplica === undefined
      ? isOfReading && twice * PREFILL_SHARE < most
        ? 'would have first tokens wait longer and longer'
        : 'are more than they can take: those in flight grow without end'
      : `${holds ? 'still hold' : 'would be'} ${figure(perReplica.inFlight)} in flight for each that answers at ${figure(perReplica.tokensPerSecondPerUser)} tok/s/user, a first token after ${figure(perReplica.ttftMs ?? 0)} ms`
  return {
    what,
    arrivalsPerSecond: most,
    atDouble: {
      holds,
      ...(needed !== undefined && { replicas: needed.decode }),
      ...(perReplica === undefined ? { overloaded: true as const } : { perReplica }),
    },
    sentence: [
      `${figure(prefill)} that read and ${figure(decode)} that answer hold up to ${rateOf(most)}; beyond that ${missed}.`,
      `Twice the arrivals, ${rateOf(twice)}, ${doubled}.${holds || needed === undefined ? '' : ` To hold them it takes ${figure(needed.prefill)} and ${figure(needed.decode)}, ${gpusOf(needed.gpus)}.`}`,
    ].join(' '),
  }
}

function missedOf(
  load: { readonly tokensPerSecondPerUser: number },
  { tokensPerSecond = 0 }: Product,
): 'floor' | 'ttft' {
  return load.tokensPerSecondPerUser < tokensPerSecond ? 'floor' : 'ttft'
}

/** The greatest rate that holds, from one that does. */
function greatest(from: number, holds: (rate: number) => boolean): number {
  let [low, high] = [from, 2 * from]
  while (holds(high) && high < 1e12) [low, high] = [high, 2 * high]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}
