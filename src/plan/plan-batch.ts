import { type BreaksFirst, figure, greatestWhole, type Plan, type ReplicaLoad, TwospeedError } from '../core/index.ts'
import type { Demand } from './demand.ts'
import { gpusOf, lasting, servers } from './plan-words.ts'
import { costOf, kvLines, kvNeed, money, outside, type PlannedServer, shareLine } from './planned-server.ts'
import { replicasOf } from './replica.ts'

type Asked = Demand & { readonly outputTokens: number }

/** How a replica works its part of a batch off. */
interface Work {
  readonly completionS: number
  /** In flight, each step of the way: the chosen load, or the whole part where it is less. */
  readonly at: ReplicaLoad
}

/**
 * A batch that is there at once: tokens ÷ throughput, as long as there are more requests than places. A part that is less than the chosen load
 * is in flight at once, and takes as long as one of its answers.
 */
export function planBatch(server: PlannedServer, demand: Asked): Plan {
  const { product, replica, load, perReplica } = server
  const { requests = 1, inputTokens, outputTokens, deadlineS, gpuHour } = demand
  const throughput = load.choice.outputTokensPerSecond / replicasOf(server.evidence)
  const work = (replicas: number): Work => workOf(server, throughput, requests / replicas, outputTokens)
  const replicas = deadlineS === undefined ? (demand.replicas ?? 1) : fewest(work, requests, deadlineS)
  const { completionS, at } = work(replicas)
  const tokens = requests * outputTokens
  const gpus = replica.gpus === undefined ? undefined : replicas * replica.gpus
  const inFlight = Math.min(requests, at.inFlight * replicas)
  const kv = kvNeed(server, demand, inFlight)
  const cost =
    gpuHour === undefined || gpus === undefined
      ? undefined
      : {
          ...costOf(gpuHour, gpus, (tokens * 3600) / completionS),
          total: (gpus * gpuHour * completionS) / 3600,
        }
  const isThroughput = requests / replicas >= perReplica
  return {
    product,
    requests,
    completionS,
    ...(deadlineS !== undefined && { deadlineS }),
    choice: load.choice,
    bindingConstraint: load.binding,
    reason: load.reason,
    replicas,
    perReplica: at,
    ...(gpus !== undefined && { gpus }),
    ...(inputTokens !== undefined && { inputTokens }),
    outputTokens,
    ...(kv !== undefined && { kv }),
    ...(cost !== undefined && { cost }),
    arithmetic: [
      ...shareLine(server),
      `Tokens: ${figure(requests)} requests × ${figure(outputTokens)} = ${figure(tokens)}.`,
      isThroughput
        ? `Completion: ${figure(tokens)} ÷ (${servers(replicas)} × ${figure(throughput)} tok/s) = ${lasting(completionS)}, with ${figure(perReplica)} in flight in each.`
        : `Completion: ${figure(requests)} ÷ ${servers(replicas)} are up to ${figure(at.inFlight)} in each, all at once at ${figure(at.tokensPerSecondPerUser)} tok/s each: ${lasting(completionS)}.`,
      ...(deadlineS === undefined
        ? []
        : [
            `Deadline: ${lasting(deadlineS)}; ${replicas === 1 ? 'one replica makes it' : `${figure(replicas - 1)} would take ${lasting(work(replicas - 1).completionS)}`}.`,
          ]),
      ...(gpus === undefined
        ? ['How many GPUs a replica has is not known: --gpus says it.']
        : [`GPUs: ${servers(replicas)} × ${figure(replica.gpus ?? 0)} = ${gpusOf(gpus)}.`]),
      ...kvLines(kv, inFlight, demand),
      ...(cost === undefined
        ? []
        : [
            `Cost: ${gpusOf(gpus ?? 0)} × ${money(gpuHour ?? 0)} = ${money(cost.perHour)} an hour, for ${lasting(completionS)} ${money(cost.total)}: ${money(cost.perMillionOutputTokens)} a million output tokens.`,
          ]),
    ],
    breaksFirst: doubled(server, demand, replicas, throughput, (twice) =>
      workOf(server, throughput, twice, outputTokens),
    ),
    extrapolated: [
      ...outside(server),
      ...(at.source === 'extrapolated' ? [`what each replica will really have, ${figure(at.inFlight)} in flight`] : []),
    ],
  }
}

function workOf({ replica, perReplica }: PlannedServer, throughput: number, part: number, outputTokens: number): Work {
  // Requests come whole: of a part of one and a half some replica has two.
  const at = replica.at(Math.min(Math.ceil(part - 1e-9), perReplica))
  if (at === undefined) {
    throw new TwospeedError(
      'NO_POINT_HOLDS',
      `${figure(part)} requests at once are a load of which nothing is known`,
      'Measure at a lower load.',
    )
  }
  const byTokens = part >= perReplica ? (part * outputTokens) / throughput : 0
  const completionS = Math.max(byTokens, at.timeInSystemS)
  return {
    completionS,
    at:
      part >= perReplica
        ? { ...at, outputTokensPerSecond: throughput, requestsPerSecond: throughput / outputTokens }
        : at,
  }
}

/** The fewest replicas that make a deadline: more never take longer, and one for each request is the most that help. */
function fewest(work: (replicas: number) => Work, requests: number, deadlineS: number): number {
  const isInTime = (replicas: number): boolean => work(replicas).completionS <= deadlineS * (1 + 1e-9)
  const most = Math.ceil(requests)
  if (!isInTime(most)) {
    const { completionS, at } = work(most)
    throw new TwospeedError(
      'NO_POINT_HOLDS',
      `no fleet makes a deadline of ${lasting(deadlineS)}: one answer alone takes ${lasting(completionS)} at ${figure(at.tokensPerSecondPerUser)} tok/s`,
      'Allow more time, shorten the answers, or make one stream faster.',
    )
  }
  return greatestWhole(0, most, (replicas) => !isInTime(replicas)) + 1
}

function doubled(
  { load }: PlannedServer,
  { requests = 1, outputTokens, deadlineS }: Asked,
  replicas: number,
  throughput: number,
  work: (part: number) => Work,
): BreaksFirst {
  const { completionS } = work((2 * requests) / replicas)
  if (deadlineS === undefined) {
    return {
      what: load.binding,
      atDouble: { holds: true, completionS },
      sentence: `Nothing breaks: twice as many requests take ${lasting(completionS)}.`,
    }
  }
  const holds = completionS <= deadlineS * (1 + 1e-9)
  const isInTime = (count: number): boolean => work(count / replicas).completionS <= deadlineS * (1 + 1e-9)
  // More than the highest throughput makes are never in time.
  const beyond = Math.ceil(Math.max(requests, (deadlineS * throughput * replicas) / outputTokens)) + 1
  const most = greatestWhole(requests, beyond, isInTime)
  const needed = fewest((count) => work((2 * requests) / count), 2 * requests, deadlineS)
  return {
    what: 'deadline',
    requests: most,
    atDouble: { holds, completionS, replicas: needed },
    sentence: `${servers(replicas)} ${replicas === 1 ? 'makes' : 'make'} up to ${figure(most)} requests in ${lasting(deadlineS)}. Twice the requests take ${lasting(completionS)}${holds ? ', which is still in time' : ` and miss the deadline; ${servers(needed)} make it`}.`,
  }
}
