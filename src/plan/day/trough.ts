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
interface Work {
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
 * Both plans are of the same way to serve, each of its own lengths; `batch` is that of a fleet of its own, by its deadline where it has one.
 * Undefined where the interactive plan has no `day`. A trace is taken to come again and again.
 */
export function troughOf(interactive: PlannedWith, batch: PlannedWith): Trough | undefined {
  const { day } = interactive.plan
  if (day === undefined) return undefined
  const { plan } = batch
  const { product, outputTokens, deadlineS, requests } = plan
  const fleet = Math.max(day.fixed.replicas, interactive.plan.replicasAtPeak ?? 1)
  const replica = replicaOf(batch.evidence, outputTokens)
  const alone = aloneOf(batch, replica)
  const works = { whole: wholeWork(day, fleet, alone), filled: filledWork(day, fleet, interactive, batch, replica) }
  const [whole, filled] = [wayOf(works.whole, fleet, day, outputTokens), wayOf(works.filled, fleet, day, outputTokens)]
  const inTime = (way: Work): number => (deadlineS === undefined ? 0 : answeredBy(way, day, deadlineS))
  const gained = inTime(works.whole) - inTime(works.filled) || whole.tokensPerDay - filled.tokensPerDay
  const better = gained > 0 ? 'whole' : 'filled'
  const work = works[better]
  const perReplica = alone.requestsPerSecond
  const done = requests === undefined ? undefined : doneBy(work, day, requests)
  const holds = deadlineS === undefined ? undefined : done !== undefined && done <= deadlineS * (1 + 1e-9)
  const ownReplicas =
    deadlineS === undefined ? wholeOf({ whole, filled }[better].requestsPerDay / (perReplica * DAY_S)) : plan.replicas
  const gpus = replica.gpus
  const trough: Omit<Trough, 'sentence'> = {
    product,
    outputTokens,
    interactiveTokensPerDay: day.arrivalsPerSecond * interactive.plan.outputTokens * DAY_S,
    whole,
    filled,
    better,
    replicas: fleet,
    own: { replicas: ownReplicas, ...(gpus !== undefined && { gpus: ownReplicas * gpus }) },
    ...(requests !== undefined && { requests }),
    ...(deadlineS !== undefined && { deadlineS }),
    ...(done !== undefined && { completionS: done }),
    ...(holds !== undefined && { holds }),
    ...(holds === false && { moreReplicas: moreFor(work, day, plan, perReplica) }),
  }
  return { ...trough, sentence: troughSentence(trough) }
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
function wholeWork({ instants, lengthS }: Day, fleet: number, alone: ReplicaLoad): Work {
  const pieceS = lengthS / instants.length
  const free = instants.map(({ neededReplicas }) => Math.max(0, fleet - neededReplicas))
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

function moreFor(work: Work, day: Day, { requests = 0, deadlineS = 0, replicas }: Plan, perReplica: number): number {
  const left = requests - answeredBy(work, day, deadlineS)
  // A fleet of its own makes it alone.
  return Math.min(replicas, wholeOf(left / (perReplica * deadlineS)))
}
