import { counted, type Day, figure, type Plan, portion, type ReplicaLoad } from '../core/index.ts'
import { breaksFirst, isSlow } from './breaks-first.ts'
import { dayOf } from './day/index.ts'
import type { Demand } from './demand.ts'
import { limitedBy } from './limit-words.ts'
import { peakOf, peakWords } from './peak.ts'
import { gpusOf, lasting, quotient, rateOf, servers } from './plan-words.ts'
import { costOf, kvLines, kvNeed, money, outside, type PlannedServer, shareLine, wholeOf } from './planned-server.ts'

type Asked = Demand & { readonly outputTokens: number }

/**
 * Requests that come, or users who ask:
 *
 *     W = TTFT + N / pace     L = λ·W     replicas = ⌈L / load⌉     U = λ·(W + Z) for users who pause for Z
 */
export function planArrivals(server: PlannedServer, demand: Asked): Plan {
  const { product, replica, load, perReplica } = server
  const at = replica.at(perReplica)
  if (at === undefined) throw new RangeError('the chosen load is not of the curve')
  const { users, thinkS = 0, inputTokens, outputTokens, gpuHour } = demand
  const timeInSystemS = at.timeInSystemS
  const arrivalsPerSecond = demand.arrivalsPerSecond ?? (users ?? 0) / (timeInSystemS + thinkS)
  const inFlight = arrivalsPerSecond * timeInSystemS
  const replicas = wholeOf(inFlight / perReplica)
  const day = dayIn(server, demand, at)
  const peak = peakOf(demand, inFlight, timeInSystemS, day)
  const replicasAtPeak = Math.max(replicas, wholeOf(peak.inFlight / perReplica))
  const gpus = replica.gpus === undefined ? undefined : replicas * replica.gpus
  const gpusAtPeak = replica.gpus === undefined ? undefined : replicasAtPeak * replica.gpus
  const real = realLoad(server, demand, arrivalsPerSecond, replicas, at)
  // Users whose answers come sooner than at the chosen load ask more often.
  const madePerSecond = users === undefined ? arrivalsPerSecond : replicas * real.requestsPerSecond
  const kv = kvNeed(server, demand, inFlight)
  const cost =
    gpuHour === undefined || gpus === undefined
      ? undefined
      : costOf(gpuHour, gpus, madePerSecond * outputTokens * 3600, gpusAtPeak)
  const twice =
    users === undefined
      ? undefined
      : realLoad(server, { users: 2 * users, thinkS }, 2 * arrivalsPerSecond, replicas, at)
  const breaks = breaksFirst(server, at, { arrivalsPerSecond, ...(users !== undefined && { users }) }, replicas, twice)
  const beyond = breaks.atDouble.perReplica
  return {
    product,
    arrivalsPerSecond,
    ...(users !== undefined && { users, thinkS }),
    timeInSystemS,
    inFlight,
    choice: load.choice,
    bindingConstraint: load.binding,
    ...limitedBy(server.evidence, load.binding),
    reason: load.reason,
    replicas,
    perReplica: real,
    replicasAtPeak,
    headroom: peak.inFlight / inFlight - 1,
    peak,
    ...(day !== undefined && { day }),
    ...(gpus !== undefined && { gpus }),
    ...(gpusAtPeak !== undefined && { gpusAtPeak }),
    ...(inputTokens !== undefined && { inputTokens }),
    outputTokens,
    ...(kv !== undefined && { kv }),
    ...(cost !== undefined && { cost }),
    arithmetic: [
      ...shareLine(server),
      stayLine(server, at, outputTokens),
      ...(users === undefined ? [] : [usersLine(users, thinkS, timeInSystemS, arrivalsPerSecond)]),
      `L = λ·W = ${rateOf(arrivalsPerSecond)} × ${lasting(timeInSystemS)} = ${figure(inFlight)} in flight.`,
      `Replicas for the mean: ${figure(inFlight)} ÷ ${figure(perReplica)} in flight each = ${quotient(inFlight / perReplica)}, so ${figure(replicas)}${gpuWords(replicas, replica.gpus)}.`,
      `Each then has ${figure(real.inFlight)} in flight at ${figure(real.tokensPerSecondPerUser)} tok/s/user, and a request takes ${lasting(real.timeInSystemS)}.${isSlow(real, product) ? ` That is less than the floor: by these points fewer in flight are slower. Measure again at a lesser load.` : ''}`,
      peakLine(peakWords(peak, inFlight, day), perReplica, replicasAtPeak, gpusAtPeak),
      ...(day === undefined ? [] : [day.sentence]),
      ...kvLines(kv, inFlight, demand),
      ...(cost === undefined
        ? []
        : [
            `Cost: ${gpusOf(gpus ?? 0)} × ${money(gpuHour ?? 0)} = ${money(cost.perHour)} an hour; ${rateOf(madePerSecond)}${users === undefined ? '' : ', as often as they ask then,'} × ${figure(outputTokens)} tokens are ${figure((madePerSecond * outputTokens * 3600) / 1e6)} million an hour: ${money(cost.perMillionOutputTokens)} a million output tokens. For the peak ${money(cost.perHourAtPeak ?? 0)} an hour.`,
          ]),
    ],
    breaksFirst: breaks,
    extrapolated: [
      ...outside(server),
      ...(real.source === 'extrapolated'
        ? [`what each replica will really have, ${figure(real.inFlight)} in flight`]
        : []),
      ...(beyond?.source === 'extrapolated'
        ? [`what twice as many get, ${figure(beyond.inFlight)} in flight each`]
        : []),
    ],
  }
}

/** What the day asks of replicas that run at the chosen load, where one is given. */
function dayIn({ replica }: PlannedServer, demand: Asked, chosen: ReplicaLoad): Day | undefined {
  const { day, startupS, outputTokens, gpuHour } = demand
  if (day === undefined) return undefined
  const { gpus } = replica
  return dayOf(
    day,
    { chosen, ...(gpus !== undefined && { gpus }), ...(gpuHour !== undefined && { gpuHour }) },
    { outputTokens, ...(startupS !== undefined && { startupS }) },
  )
}

function stayLine({ evidence }: PlannedServer, at: ReplicaLoad, outputTokens: number): string {
  const { ttftMs, tokensPerSecondPerUser: pace, timeInSystemS } = at
  const decode = `${figure(outputTokens)} tokens ÷ ${figure(pace)} tok/s`
  if (ttftMs === undefined)
    return `W = ${decode} = ${lasting(timeInSystemS)}: the wait for the first token is not known, and not in it.`
  const { share } = evidence
  const whose = share === undefined ? (evidence.isOfRun ? ' (median)' : '') : ` (${portion(share)} wait no longer)`
  return `W = ${lasting(ttftMs / 1000)} to the first token${whose} + ${decode} = ${lasting(timeInSystemS)}.`
}

export function usersLine(users: number, thinkS: number, stayS: number, arrivals: number): string {
  const cycle = thinkS === 0 ? lasting(stayS) : `(${lasting(stayS)} + ${lasting(thinkS)} of thinking)`
  return `λ = ${counted(users, 'user')} ÷ ${cycle} = ${rateOf(arrivals)}.`
}

const gpuWords = (replicas: number, gpus: number | undefined): string =>
  gpus === undefined
    ? ' (how many GPUs one has is not known: --gpus says it)'
    : `: ${servers(replicas)} × ${figure(gpus)} = ${gpusOf(replicas * gpus)}`

function peakLine(how: string, perReplica: number, replicas: number, gpus?: number): string {
  const on = gpus === undefined ? '' : `, ${gpusOf(gpus)}`
  return `Peak: ${how}: ÷ ${figure(perReplica)}, so ${servers(replicas)}${on}.`
}

/** What each replica has when they share what comes: a shorter stay for less load, and of users who pause more requests for that. */
function realLoad(
  { replica, perReplica }: PlannedServer,
  { users, thinkS = 0 }: Demand,
  arrivalsPerSecond: number,
  replicas: number,
  chosen: ReplicaLoad,
): ReplicaLoad {
  if (users === undefined) return replica.answering(arrivalsPerSecond / replicas, perReplica) ?? chosen
  // x + Z·x/W(x) users of a replica are busy and pausing.
  const share = users / replicas
  let [low, high] = [0, Math.max(perReplica, share)]
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    const at = replica.at(middle)
    if (at !== undefined && at.inFlight + thinkS * at.requestsPerSecond < share) low = middle
    else high = middle
  }
  return replica.at(high) ?? chosen
}
