import {
  type Day,
  type Plan,
  type Product,
  type ReplicaLoad,
  type Trough,
  type TroughWay,
  TwospeedError,
} from '../../core/index.ts'
import { choose } from '../choose.ts'
import type { Evidence } from '../evidence.ts'
import { wholeOf } from '../planned-server.ts'
import { type Replica, replicaOf, replicasOf } from '../replica.ts'
import { stretchesOf } from './free-time.ts'
import { troughSentence } from './trough-words.ts'

/** A plan, and what it was made from. */
export interface PlannedWith {
  readonly plan: Plan
  readonly evidence: Evidence
}

const DAY_S = 86_400

/** What a way answers of the batch: requests in each piece of the day, and how. */
export interface Work {
  readonly answered: readonly number[]
  readonly at?: ReplicaLoad
  /** Means over the day. */
  readonly replicas?: number
  readonly inFlight?: number
}

/**
 * What of a batch goes into what an interactive fleet for its peak leaves over in the course of a day:
 *
 *     fleet │▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒    whole: replicas that the day sets free, each at the load that is best for the batch
 *           │▒▒▒▒▒▒╱‾‾‾╲▒▒▒▒▒    filled: the places of every replica, up to the load that the floor allows
 *           │▒▒▒▒╱ users ╲▒▒▒
 *           └────────────────    00:00 … 24:00
 *
 * Both plans are of the same way to serve, each of its own lengths; `batch` is that of a fleet of its own, by its deadline where it has one. `own` is
 * such a fleet of the best way.
 * Undefined where the interactive plan has no `day`. A trace is taken to come again and again.
 */
export function troughOf(interactive: PlannedWith, batch: PlannedWith, own?: Plan): Trough | undefined {
  const { day, replicasAtPeak = 1 } = interactive.plan
  if (day === undefined) return undefined
  const { plan } = batch
  const replicas = Math.max(day.fixed.replicas, replicasAtPeak)
  const replica = replicaOf(batch.evidence, plan.outputTokens)
  const alone = aloneOf(batch, replica)
  const free = day.instants.map(({ neededReplicas }) => Math.max(0, replicas - neededReplicas))
  const { requestsPerSecond } = alone
  const trough = troughOfWorks({
    interactive: { ...interactive.plan, day },
    replicas,
    batch: plan,
    whole: wholeWork(day, free, alone),
    filled: filledWork(day, replicas, interactive, batch, replica),
    own: { requestsPerSecond, ...(replica.gpus !== undefined && { gpus: replica.gpus }) },
    // A fleet of its own makes it alone.
    more: { requestsPerSecond, most: plan.replicas },
  })
  // By its deadline the best way for it may be another.
  const isOwn = own?.deadlineS !== undefined
  const told = isOwn
    ? { ...trough, own: { replicas: own.replicas, ...(own.gpus !== undefined && { gpus: own.gpus }) } }
    : trough
  return { ...told, sentence: troughSentence(told) }
}

/** What both ways answer, and what else it takes to compare them. */
export interface TroughWorks {
  readonly interactive: Plan & { readonly day: Day }
  /** Of the interactive fleet. */
  readonly replicas: number
  /** Of a fleet of its own. */
  readonly batch: Plan
  readonly whole: Work
  readonly filled: Work
  /** What a replica of that fleet answers, and its GPUs. */
  readonly own: { readonly requestsPerSecond: number; readonly gpus?: number }
  /** What one more replica of the interactive fleet answers of the batch alone, and how many are enough. */
  readonly more: { readonly requestsPerSecond: number; readonly most: number }
}

export function troughOfWorks({ interactive, batch: plan, ...works }: TroughWorks): Omit<Trough, 'sentence'> {
  const { day } = interactive
  const { replicas: fleet, own, more } = works
  const { product, outputTokens, deadlineS, requests } = plan
  const [whole, filled] = [wayOf(works.whole, fleet, day, outputTokens), wayOf(works.filled, fleet, day, outputTokens)]
  const inTime = (way: Work): number => (deadlineS === undefined ? 0 : answeredBy(way, day, deadlineS))
  const gained = inTime(works.whole) - inTime(works.filled) || whole.tokensPerDay - filled.tokensPerDay
  const better = gained > 0 ? 'whole' : 'filled'
  const work = works[better]
  const done = requests === undefined ? undefined : doneBy(work, day, requests)
  const holds = deadlineS === undefined ? undefined : done !== undefined && done <= deadlineS * (1 + 1e-9)
  const ownReplicas =
    deadlineS === undefined
      ? wholeOf({ whole, filled }[better].requestsPerDay / (own.requestsPerSecond * DAY_S))
      : plan.replicas
  return {
    product,
    outputTokens,
    interactiveTokensPerDay: day.arrivalsPerSecond * interactive.outputTokens * DAY_S,
    whole,
    filled,
    better,
    replicas: fleet,
    own: { replicas: ownReplicas, ...(own.gpus !== undefined && { gpus: ownReplicas * own.gpus }) },
    ...(requests !== undefined && { requests }),
    ...(deadlineS !== undefined && { deadlineS }),
    ...(done !== undefined && { completionS: done }),
    ...(holds !== undefined && { holds }),
    ...(holds === false && { moreReplicas: moreFor(work, day, plan, more) }),
  }
}

/** A replica that works on nothing else. */
function aloneOf({ plan, evidence }: PlannedWith, replica: Replica): ReplicaLoad {
  const count = replicasOf(evidence)
  const at = replica.at(plan.choice.concurrency / count)
  if (at === undefined) throw new RangeError('the chosen load is not of the curve')
  const tokens = plan.choice.outputTokensPerSecond / count
  return { ...at, outputTokensPerSecond: tokens, requestsPerSecond: tokens / plan.outputTokens }
}

/** A stretch ends with nothing in flight: the last requests are begun one stay before, so that a stay goes by in which none ends. */
export function wholeWork({ instants, lengthS }: Day, free: readonly number[], alone: ReplicaLoad): Work {
  const pieceS = lengthS / instants.length
  const answered = instants.map(() => 0)
  for (const { startS, endS, replicas } of stretchesOf(free, pieceS)) {
    const isEndless = endS === Number.POSITIVE_INFINITY
    const [fromS, untilS] = isEndless ? [0, lengthS] : [startS + alone.timeInSystemS, endS]
    for (let atS = fromS; atS < untilS; ) {
      const piece = Math.floor(atS / pieceS + 1e-9)
      const stopS = Math.min(untilS, (piece + 1) * pieceS)
      const index = piece % instants.length
      answered[index] = (answered[index] ?? 0) + replicas * alone.requestsPerSecond * (stopS - atS)
      atS = stopS
    }
  }
  return { answered, at: alone, replicas: free.reduce((sum, count) => sum + count, 0) / free.length }
}

/**
 * Everybody runs at the load that the floor allows, where those of the day are in flight for as long as they were planned to; the other places are
 * the batch's. Its requests, of other lengths, must leave the floor too.
 */
function filledWork(day: Day, fleet: number, interactive: PlannedWith, batch: PlannedWith, replica: Replica): Work {
  const { instants, lengthS } = day
  const own = interactive.plan.choice.concurrency / replicasOf(interactive.evidence)
  const load = Math.min(own, mostWithFloor(batch.evidence, interactive.plan.product) ?? 0)
  const at = load > 0 ? replica.at(load) : undefined
  if (at === undefined) return { answered: instants.map(() => 0), inFlight: 0 }
  const left = instants.map(({ inFlight }) => Math.max(0, fleet * load - inFlight))
  return {
    answered: left.map((places) => ((places / at.timeInSystemS) * lengthS) / instants.length),
    at,
    inFlight: left.reduce((sum, places) => sum + places, 0) / left.length,
  }
}

/** How many of the batch's requests a replica may have in flight so that each has the floor: undefined where not even one. */
function mostWithFloor(evidence: Evidence, { name, goal, tokensPerSecond }: Product): number | undefined {
  if (tokensPerSecond === undefined) return Number.POSITIVE_INFINITY
  try {
    const { choice } = choose(evidence, { name, goal, tokensPerSecond })
    return choice.concurrency / replicasOf(evidence)
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'NO_POINT_HOLDS') return undefined
    throw error
  }
}

function wayOf(
  { answered, at, replicas, inFlight }: Work,
  fleet: number,
  { lengthS }: Day,
  outputTokens: number,
): TroughWay {
  const requestsPerDay = (answered.reduce((sum, count) => sum + count, 0) * DAY_S) / lengthS
  return {
    requestsPerDay,
    tokensPerDay: requestsPerDay * outputTokens,
    ...(replicas !== undefined && { replicas }),
    ...(inFlight !== undefined && { inFlight }),
    ...(at !== undefined && {
      concurrency: at.inFlight,
      tokensPerSecondPerUser: at.tokensPerSecondPerUser,
    }),
    ...everyOf(at, inFlight === undefined ? undefined : inFlight / fleet),
  }
}

/** Little's law of those of the batch that a replica has beside others; alone it has what it makes. */
function everyOf(at: ReplicaLoad | undefined, beside?: number): Pick<TroughWay, 'everyS'> {
  if (at === undefined || beside === 0) return {}
  return { everyS: beside === undefined ? 1 / at.requestsPerSecond : at.timeInSystemS / beside }
}

/** When so many have been answered, from the start of the day on; never less than one answer takes. Undefined: never. */
function doneBy({ answered, at }: Work, { lengthS, instants }: Day, requests: number): number | undefined {
  const aDay = answered.reduce((sum, count) => sum + count, 0)
  if (aDay === 0) return undefined
  const pieceS = lengthS / instants.length
  const days = Math.floor(requests / aDay)
  let left = requests - days * aDay
  let atS = days * lengthS
  for (const count of answered) {
    if (left <= 0) break
    atS += count > left ? (pieceS * left) / count : pieceS
    left -= count
  }
  return Math.max(atS, at?.timeInSystemS ?? 0)
}

/** Answered in so long from the start of the day on. */
function answeredBy({ answered }: Work, { lengthS, instants }: Day, untilS: number): number {
  const pieceS = lengthS / instants.length
  const days = Math.floor(untilS / lengthS)
  const aDay = answered.reduce((sum, count) => sum + count, 0)
  const rest = untilS - days * lengthS
  return answered.reduce(
    (sum, count, i) => sum + count * Math.min(1, Math.max(0, (rest - i * pieceS) / pieceS)),
    days * aDay,
  )
}

function moreFor(
  work: Work,
  day: Day,
  { requests = 0, deadlineS = 0 }: Plan,
  { requestsPerSecond, most }: TroughWorks['more'],
): number {
  const left = requests - answeredBy(work, day, deadlineS)
  return Math.min(most, wholeOf(left / (requestsPerSecond * deadlineS)))
}
