import type { Lengths } from '../roofline/configuration.ts'
import { gpusOf } from '../roofline/configuration.ts'
import { decodeStep } from '../roofline/step-model.ts'
import { halved } from './halved.ts'
import { type Link, transferSeconds } from './link.ts'
import { PREFILL_SHARE, type PrefillInstance, readingCapacity, waitSeconds } from './prompt-reading.ts'
import { type DecodeInstance, placesBy } from './split-pools.ts'

/** What requests are to get; absent: whatever comes. */
export interface SplitObjective {
  /** Tokens a second that each user gets. */
  readonly floor?: number
  /** The longest mean wait for a first token. */
  readonly ttftMs?: number
}

/** A kind of instance that reads and one that answers, whose numbers are still open. */
export interface SplitWay {
  readonly reader: PrefillInstance
  readonly writer: DecodeInstance
  readonly lengths: Lengths
  readonly link: Link
  readonly transferS: number
  readonly objective: SplitObjective
  /** GPUs of one instance of each. */
  readonly size: { readonly prefill: number; readonly decode: number }
  /** The most that one instance which answers holds of the objective, where no prompt waits to be read. */
  readonly most: SplitLoad
  /** What ends that. */
  readonly binding: 'floor' | 'ttft' | 'serverLimit' | 'kv'
}

/** Of one instance that answers, with its share of the requests that are on their way to it. */
export interface SplitLoad {
  /** Sequences that decode in it, in the mean. */
  readonly batch: number
  readonly tokensPerSecondPerUser: number
  readonly ttftMs: number
  readonly requestsPerSecond: number
}

/**
 * Undefined where one sequence alone does not hold the objective. `quick` is `quickBatch` of the same, for whoever asks it of many readers.
 *
 *     b = the most whole sequences, up to the places, with T(b) ≤ 1/floor and T_arrive + T_read + T_kv + 1½·T(b) ≤ TTFT
 */
export function splitWay(
  reader: PrefillInstance,
  writer: DecodeInstance,
  lengths: Lengths,
  link: Link,
  objective: SplitObjective,
  quick: number | undefined = quickBatch(writer, lengths, objective.floor),
): SplitWay | undefined {
  const { ttftMs = Number.POSITIVE_INFINITY } = objective
  const { model, memory, places } = writer
  const transferS = transferSeconds(link, reader.configuration, model.configuration, lengths.inputTokens)
  const size = { prefill: gpusOf(reader.configuration.parallelism), decode: gpusOf(model.configuration.parallelism) }
  const loadOf = (batch: number): SplitLoad => loadAt({ reader, writer, lengths, transferS }, batch, 0)
  const isEarly = (batch: number): boolean => loadOf(batch).ttftMs <= ttftMs * (1 + ROUNDING)
  if (quick === undefined || !isEarly(1)) return undefined
  const batch = isEarly(quick) ? quick : Math.floor(halved(1, quick, isEarly) * (1 + ROUNDING))
  const full = placesBy(model, memory) === 'kv' ? 'kv' : 'serverLimit'
  const binding = batch < quick ? 'ttft' : batch < places ? 'floor' : full
  return { reader, writer, lengths, link, transferS, objective, size, most: loadOf(batch), binding }
}

/** A limit that is met exactly is held, up to rounding. */
const ROUNDING = 1e-9

/** The most whole sequences with which one instance keeps the floor; undefined where one alone is slower. */
export function quickBatch({ model, places }: DecodeInstance, lengths: Lengths, floor: number = 0): number | undefined {
  const isQuick = (batch: number): boolean =>
    model.stepSeconds(decodeStep(batch, lengths)) * floor * (1 - ROUNDING) <= 1
  if (!isQuick(1)) return undefined
  return isQuick(places) ? places : Math.floor(halved(1, places, isQuick) * (1 + ROUNDING))
}

function loadAt(
  { reader, writer, lengths, transferS }: Pick<SplitWay, 'reader' | 'writer' | 'lengths' | 'transferS'>,
  batch: number,
  waitS: number,
): SplitLoad {
  const { model } = writer
  const stepS = model.stepSeconds(decodeStep(Math.max(1, batch), lengths))
  const toReadS = model.arrivalSeconds(lengths.inputTokens) + waitS + stepS / 2 + reader.seconds
  return {
    batch,
    tokensPerSecondPerUser: 1 / stepS,
    ttftMs: 1000 * (model.waitFactor(Math.max(1, batch)) * toReadS + transferS + stepS),
    requestsPerSecond: batch / (lengths.outputTokens * stepS),
  }
}

/**
 * What `decode` instances each have when so many requests a second come by themselves and `prefill` instances read them; undefined where
 * that is more than they can take, reading and sending to their useful share.
 */
export function splitLoadAt(
  way: SplitWay,
  prefill: number,
  decode: number,
  requestsPerSecond: number,
): SplitLoad | undefined {
  const { reader, writer, lengths } = way
  const capacity = readingCapacity(way, prefill, decode).requestsPerSecond
  if (requestsPerSecond > PREFILL_SHARE * capacity * (1 + ROUNDING)) return undefined
  const each = requestsPerSecond / decode
  const rateOf = (batch: number): number =>
    batch / (lengths.outputTokens * writer.model.stepSeconds(decodeStep(Math.max(1, batch), lengths)))
  if (rateOf(writer.places) * (1 + ROUNDING) < each) return undefined
  const one = rateOf(1)
  const batch = each <= one ? each / one : halved(1, writer.places, (middle) => rateOf(middle) <= each)
  return loadAt(way, batch, waitSeconds(requestsPerSecond, capacity, prefill * reader.places))
}

/** The same where it holds the objective: no more decode in the mean than an instance may have, and prompts are not waited for too long. */
export function splitHolds(
  way: SplitWay,
  prefill: number,
  decode: number,
  requestsPerSecond: number,
): SplitLoad | undefined {
  const { ttftMs = Number.POSITIVE_INFINITY } = way.objective
  const load = splitLoadAt(way, prefill, decode, requestsPerSecond)
  const holds =
    load !== undefined && load.batch <= way.most.batch * (1 + ROUNDING) && load.ttftMs <= ttftMs * (1 + ROUNDING)
  return holds ? load : undefined
}
