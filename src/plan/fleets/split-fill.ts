import {
  type BatchFill,
  type Day,
  type Plan,
  type PoolInstances,
  type ReplicaLoad,
  TwospeedError,
} from '../../core/index.ts'
import {
  type MixedLoad,
  mostBeside,
  PREFILL_SHARE,
  readingCapacity,
  type SplitWay,
  splitWayOfLengths,
} from '../../model/index.ts'
import { unlessRefused } from '../choosing/tried.ts'
import { dayOf, troughOfWorks, type Work, wholeWork } from '../day/index.ts'
import { demandOf } from '../demand.ts'
import { wholeOf } from '../planned-server.ts'
import type { AskedProduct } from './asked.ts'
import { filled } from './filled.ts'
import { splitFillSentence } from './split-fill-words.ts'
import { loadOf } from './split-stay.ts'
import type { SplitOfWay } from './way.ts'

/** Where nothing says how the day goes, as much comes at night. */
const DAY_S = 86_400

/** Of a fleet of split pools, and of what comes to it. */
interface Subject {
  readonly plan: Plan & { readonly day: Day }
  readonly way: SplitWay
  readonly pools: PoolInstances
  /** The same instances with the batch's requests. */
  readonly batch: SplitWay
  readonly outputTokens: number
}

/**
 * What of a batch goes into split pools beside requests that somebody waits for; `own` is a fleet that does nothing else. As with replicas that do both
 * there are two ways:
 *
 *     whole    instances of both kinds that the day sets free: min(0.9·R(p, d), d·most) of it a second
 *     filled   all of them, as far as those who wait keep their pace and their first token: `mostBeside`
 *
 * Undefined where nothing says how long its prompts are, or where an instance has no room for one of its requests.
 */
export function splitFillOf(
  interactive: Plan,
  { fleet, source }: SplitOfWay,
  { product, demand }: AskedProduct,
  own: Plan,
): BatchFill | undefined {
  const { inputTokens, outputTokens } = demandOf(product, demand)
  const { pools } = interactive
  if (inputTokens === undefined || pools === undefined) return undefined
  const batch = unlessRefused(() =>
    splitWayOfLengths(fleet.way, { ...source, ...fleet, lengths: { inputTokens, outputTokens } }),
  )
  if (batch === undefined || batch instanceof TwospeedError) return undefined
  const atPeak = ({ instances, instancesAtPeak = instances }: NonNullable<Plan['pools']>['prefill']): number =>
    instancesAtPeak
  const subject = {
    plan: withDay(interactive, fleet.way),
    way: fleet.way,
    pools: { prefill: atPeak(pools.prefill), decode: atPeak(pools.decode) },
    batch,
    outputTokens,
  }
  const most = besideAt(subject, subject.plan.day.arrivalsPerSecond)
  const { requests = 0, deadlineS = 0, completionS = DAY_S, replicas } = own
  const one = answeredAlone(batch, subject.pools) / subject.pools.decode
  const trough = troughOfWorks({
    interactive: subject.plan,
    replicas: subject.pools.decode,
    batch: own,
    whole: wholeWork(subject.plan.day, freeOf(subject), loadOf(batch.most, batch.most.requestsPerSecond, outputTokens)),
    filled: filledWork(subject, most),
    own: {
      requestsPerSecond: requests / completionS / replicas,
      ...(own.gpus !== undefined && { gpus: own.gpus / replicas }),
    },
    more: { requestsPerSecond: one, most: wholeOf(requests / (one * deadlineS)) },
  })
  return filled(interactive, { ...trough, sentence: splitFillSentence(trough, subject, most) })
}

/** What both pools answer of a batch that has them for itself. */
function answeredAlone(batch: SplitWay, { prefill, decode }: PoolInstances): number {
  if (prefill < 1 || decode < 1) return 0
  const read = PREFILL_SHARE * readingCapacity(batch, prefill, decode).requestsPerSecond
  return Math.min(read, decode * batch.most.requestsPerSecond)
}

/**
 * Instances that answer and that the day sets free, with their share of those that read, as they come whole. Where those read less than these could
 * answer, as many are counted as have all that they can do.
 */
function freeOf({ plan: { day }, pools, batch }: Subject): readonly number[] {
  return day.instants.map(({ neededReplicas }) => {
    const decode = Math.max(0, pools.decode - neededReplicas)
    const prefill = Math.floor((decode * pools.prefill) / pools.decode + 1e-9)
    return Math.floor(answeredAlone(batch, { prefill, decode }) / batch.most.requestsPerSecond + 1e-9)
  })
}

/** Undefined where even those who wait have not what they are to have. */
const besideAt = ({ way, batch, pools }: Subject, requestsPerSecond: number): MixedLoad | undefined =>
  mostBeside(way, batch, { ...pools, requestsPerSecond })

/** `mean` is at the rate of the day's mean. */
function filledWork(subject: Subject, mean: MixedLoad | undefined): Work {
  const { pools, outputTokens } = subject
  const { instants, lengthS } = subject.plan.day
  const known = new Map([[Number(subject.plan.day.arrivalsPerSecond.toPrecision(9)), mean]])
  const loads = instants.map(({ arrivalsPerSecond }) => {
    // What is the same but for rounding is asked once.
    const rate = Number(arrivalsPerSecond.toPrecision(9))
    if (!known.has(rate)) known.set(rate, besideAt(subject, rate))
    const beside = known.get(rate)
    return beside && besideOf(beside, pools, outputTokens)
  })
  const inFlight = loads.reduce((sum, load) => sum + (load?.requestsPerSecond ?? 0) * (load?.timeInSystemS ?? 0), 0)
  const most = mean && mean.requestsPerSecond > 0 ? besideOf(mean, pools, outputTokens) : undefined
  const at = most ?? loads.find((load) => load !== undefined && load.requestsPerSecond > 0)
  return {
    answered: loads.map((load) => ((load?.requestsPerSecond ?? 0) * lengthS) / instants.length),
    ...(at !== undefined && { at }),
    inFlight: inFlight / instants.length,
  }
}

/** As one of those that answer has it; its wait is taken to be that of the others. */
function besideOf(
  { requestsPerSecond, batch, tokensPerSecondPerUser, ttftMs }: MixedLoad,
  { decode }: PoolInstances,
  outputTokens: number,
): ReplicaLoad {
  return {
    inFlight: batch,
    requestsPerSecond,
    timeInSystemS: ttftMs / 1000 + outputTokens / tokensPerSecondPerUser,
    tokensPerSecondPerUser,
    outputTokensPerSecond: (requestsPerSecond * outputTokens) / decode,
    ttftMs,
    source: 'extrapolated',
  }
}

/** A plan of which no day is known has the same all day. */
function withDay(interactive: Plan, { most, lengths: { outputTokens } }: SplitWay): Subject['plan'] {
  const { day, arrivalsPerSecond = 0 } = interactive
  if (day !== undefined) return { ...interactive, day }
  const chosen = loadOf(most, most.requestsPerSecond, outputTokens)
  const points = [0, DAY_S].map((atS) => ({ atS, rate: arrivalsPerSecond }))
  return { ...interactive, day: dayOf({ kind: 'curve', points }, { chosen }, { outputTokens }) }
}
