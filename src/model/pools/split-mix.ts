import { meanContext } from '../roofline/configuration.ts'
import { halved } from './halved.ts'
import { PREFILL_SHARE, waitSeconds } from './prompt-reading.ts'
import { quickBatch, type SplitWay } from './split-way.ts'

/** A batch on split pools beside requests that somebody waits for. */
export interface MixedLoad {
  /** Of the batch: the most that leaves the others what they are to have. */
  readonly requestsPerSecond: number
  /** Sequences of both that decode in one instance. */
  readonly batch: number
  /** Of both. */
  readonly tokensPerSecondPerUser: number
  /** Of the others. */
  readonly ttftMs: number
  /** What more of the batch would miss. */
  readonly endedBy: MixEnd
}

export type MixEnd = 'prefill' | 'link' | 'floor' | 'ttft' | 'places'

/** So many instances of each kind, and what comes of those that somebody waits for. */
export interface MixedPools {
  readonly prefill: number
  readonly decode: number
  readonly requestsPerSecond: number
}

/**
 * `way` is of the requests that somebody waits for, which come at λ, `batch` of those of the batch, x, on the same instances. All read at one queue and
 * decode in the same steps, with contexts of K tokens in the mean over both:
 *
 *     read      ρ = λ/R₁ + x/R₂ ≤ 0.9            R what the instances that read take of either alone; so the links
 *     answer    b/T(b, K) = (λ·N₁ + x·N₂)/D       T ≤ 1/floor, and n₁/b₁ + n₂/b₂ ≤ 1 with the whole b that an instance may have of either alone
 *     wait      W(ρ) as that of one kind, times 1 + CV² for prompts of two lengths, and TTFT in time
 *
 * Each of them only grows with x, so that halving finds the most. Undefined where the others do not have theirs even alone.
 */
export function mostBeside(way: SplitWay, batch: SplitWay, pools: MixedPools): MixedLoad | undefined {
  const places = quickBatch(batch.writer, batch.lengths, way.objective.floor) ?? 0
  const at = (rate: number): Mixed => mixedAt(way, { ...batch, places }, pools, rate)
  const alone = at(0)
  if (alone.missed !== undefined) return undefined
  const beyond = Math.min(pools.prefill * batch.reader.requestsPerSecond, pools.decode * batch.most.requestsPerSecond)
  const found = halved(0, beyond * (1 + MARGIN), (rate) => at(rate).missed === undefined)
  const most = found < MARGIN * beyond ? 0 : found
  const { missed: _, ...load } = at(most)
  return { ...load, requestsPerSecond: most, endedBy: at(found + MARGIN * beyond).missed ?? 'places' }
}

/** So much of what they could do of the batch alone is nothing, and so much more is beyond what holds. */
const MARGIN = 1e-3
/** A limit that is met exactly is held, up to rounding. */
const ROUNDING = 1e-9

interface Mixed extends Pick<MixedLoad, 'batch' | 'tokensPerSecondPerUser' | 'ttftMs'> {
  readonly missed?: MixEnd
}

/** Of the batch the most whole sequences of an instance that each have the floor. */
function mixedAt(way: SplitWay, other: SplitWay & { readonly places: number }, pools: MixedPools, rate: number): Mixed {
  const { floor = 0, ttftMs: limitMs = Number.POSITIVE_INFINITY } = way.objective
  const reading = readingAt(way, other, pools, rate)
  const { model } = way.writer
  const [own, others] = [pools.requestsPerSecond * way.lengths.outputTokens, rate * other.lengths.outputTokens]
  const tokens = own + others
  const share = tokens > 0 ? own / tokens : 1
  const contextTokens = share * meanContext(way.lengths) + (1 - share) * meanContext(other.lengths)
  const stepOf = (batch: number): number =>
    model.stepSeconds({ sequences: Math.max(1, batch), contextTokens, prefillTokens: 0, prefillContextTokens: 0 })
  const most = Math.max(way.writer.places, other.writer.places)
  const each = tokens / pools.decode
  const one = 1 / stepOf(1)
  const isAnswered = most / stepOf(most) >= each * (1 - ROUNDING)
  const batch = !isAnswered
    ? most
    : each <= one
      ? each / one
      : halved(1, most, (middle) => middle / stepOf(middle) <= each)
  const stepS = stepOf(batch)
  const [ownFull, othersFull] = [(batch * share) / way.most.batch, share < 1 ? (batch * (1 - share)) / other.places : 0]
  const toReadS = model.arrivalSeconds(way.lengths.inputTokens) + reading.waitS + stepS / 2 + way.reader.seconds
  const ttftMs = 1000 * (model.waitFactor(Math.max(1, batch)) * toReadS + way.transferS + stepS)
  const limits: readonly (readonly [isMissed: boolean, by: MixEnd])[] = [
    [reading.busy > PREFILL_SHARE * (1 + ROUNDING), reading.by],
    [stepS * floor > 1 + ROUNDING, 'floor'],
    [!isAnswered || ownFull + othersFull > 1 + ROUNDING, ownFull > othersFull ? fullBy(way) : fullByOthers(other)],
    [ttftMs > limitMs * (1 + ROUNDING), 'ttft'],
  ]
  const missed = limits.find(([isMissed]) => isMissed)?.[1]
  return { batch, tokensPerSecondPerUser: 1 / stepS, ttftMs, ...(missed !== undefined && { missed }) }
}

const fullBy = ({ binding }: SplitWay): MixEnd => (binding === 'floor' || binding === 'ttft' ? binding : 'places')

const fullByOthers = ({ places, writer }: SplitWay & { readonly places: number }): MixEnd =>
  places < writer.places ? 'floor' : 'places'

/** How busy what reads and sends is with both, and how long a prompt waits. */
function readingAt(
  way: SplitWay,
  other: SplitWay,
  { prefill, decode, requestsPerSecond }: MixedPools,
  rate: number,
): { readonly busy: number; readonly by: 'prefill' | 'link'; readonly waitS: number } {
  const both = requestsPerSecond + rate
  const links = Math.min(prefill, decode)
  const read =
    requestsPerSecond / (prefill * way.reader.requestsPerSecond) + rate / (prefill * other.reader.requestsPerSecond)
  const sent = (requestsPerSecond * way.transferS + rate * other.transferS) / links
  const by = read >= sent ? 'prefill' : 'link'
  const busy = Math.max(read, sent)
  if (both === 0) return { busy, by, waitS: 0 }
  const times =
    by === 'link'
      ? [way.transferS, other.transferS]
      : [1 / way.reader.requestsPerSecond, 1 / other.reader.requestsPerSecond]
  const [own = 0, others = 0] = times
  const mean = (requestsPerSecond * own + rate * others) / both
  const square = (requestsPerSecond * own ** 2 + rate * others ** 2) / both
  return { busy, by, waitS: (square / mean ** 2) * waitSeconds(both, both / busy, prefill * way.reader.places) }
}
