import type { LimitCause } from '../../core/index.ts'
import { bindingOf, type PredictedPoint } from '../roofline/closed-loop.ts'
import { decodeStep, type StepWork } from '../roofline/step-model.ts'
import { halved } from './halved.ts'
import { PREFILL_SHARE, readingCapacity, waitSeconds } from './prompt-reading.ts'
import { gpusOfPool } from './split.ts'
import { placesBy, type SplitPools } from './split-pools.ts'

/** What one of the two pools can do, and what it does. */
export interface PoolRate {
  readonly gpus: number
  /** The most that it could take. */
  readonly requestsPerSecond: number
  /** How much of that it takes. */
  readonly busy: number
  /** Its own: prompt tokens read where it reads, output tokens where it decodes. */
  readonly tokensPerSecondPerGpu: number
}

/** Both speeds of split pools at a load; the point's `outputTokensPerSecond` is of all instances. */
export interface SplitPoint extends PredictedPoint {
  readonly transferMs: number
  readonly prefill: PoolRate
  readonly decode: PoolRate
  /** What is busiest, and so would stop the whole first. */
  readonly slowest: 'prefill' | 'decode' | 'link'
}

/**
 * So many requests in flight, each followed at once by the next. With n sequences in the decode pool, spread evenly over its D instances,
 *
 *     X = n / (N·T(n/D))                      requests a second: each takes N steps there
 *     L(n) = n + X·(W(X) + T_read + T_kv)     in flight: those that decode, and those on their way there; W is the wait to be read,
 *                                             and for the end of the step that is under way
 *
 * L grows with n, so halving finds the n of a load. What exceeds the places of the decode pool waits for its first token.
 */
export function splitLoop(split: SplitPools, load: number): SplitPoint {
  const { lengths, decode, prefill, writer, reader, transferS } = split
  const places = decode.count * writer.places
  const fits = (batch: number): boolean => inFlight(split, batch, load) <= load
  const held = Math.min(load, places)
  const batch = fits(held) ? held : halved(0, held, fits)
  const stepS = decodeStepSeconds(split, batch)
  const rate = batch / (lengths.outputTokens * stepS)
  const most = {
    prefill: prefill.count * reader.requestsPerSecond,
    decode: places / (lengths.outputTokens * decodeStepSeconds(split, places)),
    link: Math.min(prefill.count, decode.count) / transferS,
  }
  const gpus = { prefill: gpusOfPool(prefill), decode: gpusOfPool(decode) }
  const slowest = (['prefill', 'decode', 'link'] as const).reduce((a, b) => (most[b] < most[a] ? b : a))
  const { binding, bindingShare } = bindingOf(writer.model, decodeWork(split, batch))
  return {
    load,
    batch,
    tokensPerSecondPerUser: 1 / stepS,
    outputTokensPerSecond: rate * lengths.outputTokens,
    ttftMs: 1000 * (load / rate - (lengths.outputTokens - 1) * stepS),
    tpotMs: 1000 * stepS,
    binding: batch >= places && load > places ? 'capacity' : binding,
    bindingShare,
    transferMs: 1000 * transferS,
    prefill: {
      gpus: gpus.prefill,
      requestsPerSecond: most.prefill,
      busy: rate / most.prefill,
      tokensPerSecondPerGpu: (rate * lengths.inputTokens) / gpus.prefill,
    },
    decode: {
      gpus: gpus.decode,
      requestsPerSecond: most.decode,
      busy: rate / most.decode,
      tokensPerSecondPerGpu: (rate * lengths.outputTokens) / gpus.decode,
    },
    slowest,
  }
}

function inFlight(split: SplitPools, batch: number, load: number): number {
  const { lengths, prefill, reader, writer, transferS } = split
  const stepS = decodeStepSeconds(split, batch)
  const rate = batch / (lengths.outputTokens * stepS)
  const capacity = readingOf(split).requestsPerSecond
  if (rate >= capacity) return Number.POSITIVE_INFINITY
  // A request does not wait for itself: of one in flight none waits, neither to be read nor for the end of a step; and none waits for more
  // than all the others. Without that bound two would make less than one alone, which may keep a pool nearly busy and never wait.
  const others = Math.max(0, 1 - 1 / load)
  const open = others * waitSeconds(rate, capacity, prefill.count * reader.places)
  const wait = Math.min(open, Math.max(0, load - 1) / capacity) + (others * stepS) / 2
  const { arrivalSeconds, waitFactor } = writer.model
  const toReadS = waitFactor(load) * (arrivalSeconds(lengths.inputTokens) + wait + reader.seconds)
  return batch + rate * (toReadS + transferS)
}

export interface GreatestLoad {
  /** It may be less than one request. */
  readonly load: number
  /** Of them, those that decode. */
  readonly batch: number
  readonly by: LimitCause
}

/** The load from which on more of it mostly waits: all places decode, or prefill or link are busy to their useful share. */
export function greatestLoad(split: SplitPools): GreatestLoad {
  const { decode, writer, lengths } = split
  const reading = readingOf(split)
  const most = PREFILL_SHARE * reading.requestsPerSecond
  const rateOf = (batch: number): number => batch / (lengths.outputTokens * decodeStepSeconds(split, batch))
  const places = decode.count * writer.places
  const isFull = rateOf(places) <= most
  const batch = isFull ? places : halved(0, places, (middle) => rateOf(middle) <= most)
  const by = isFull ? placesBy(writer.model, writer.memory) : reading.by
  return { load: inFlight(split, batch, Number.POSITIVE_INFINITY), batch, by }
}

const readingOf = (split: SplitPools): ReturnType<typeof readingCapacity> =>
  readingCapacity(split, split.prefill.count, split.decode.count)

/** A step of an instance when so many sequences decode in the pool; where there are fewer than instances, each of those has one. */
export function decodeWork({ decode, lengths }: SplitPools, batch: number): StepWork {
  return decodeStep(Math.max(1, batch / decode.count), lengths)
}

export function decodeStepSeconds(split: SplitPools, batch: number): number {
  return split.writer.model.stepSeconds(decodeWork(split, batch))
}
