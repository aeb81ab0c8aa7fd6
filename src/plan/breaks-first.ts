import { type BreaksFirst, figure, type PlanBinding, type Product, type ReplicaLoad } from '../core/index.ts'
import { beyondWords } from './limit-words.ts'
import { rateOf, servers } from './plan-words.ts'
import { type PlannedServer, wholeOf } from './planned-server.ts'

/**
 * What the fleet of the mean misses first as more comes: what keeps the chosen load from being greater. And what each of twice as many gets of
 * the same fleet, at the load at which a replica answers twice as many a second, where there is one:
 *
 *     answered a second │            ───── as many as there is no load for: those in flight grow without end
 *                   2λ  │·······╭──
 *                       │    ╱  │
 *                    λ  │··╱    │
 *                       │╱ │    │
 *                       └──┴────┴──── in flight
 */
export function breaksFirst(
  server: PlannedServer,
  chosen: ReplicaLoad,
  { arrivalsPerSecond, users }: { readonly arrivalsPerSecond: number; readonly users?: number },
  replicas: number,
  ofTwiceTheUsers?: ReplicaLoad,
): BreaksFirst {
  const { load, product } = server
  const capacity = replicas * chosen.requestsPerSecond
  const needed = wholeOf((2 * arrivalsPerSecond) / chosen.requestsPerSecond)
  const { overloaded, perReplica } =
    users === undefined
      ? atRate(server, (2 * arrivalsPerSecond) / replicas)
      : { perReplica: ofTwiceTheUsers, overloaded: undefined }
  const holds = needed <= replicas && !(perReplica !== undefined && isSlow(perReplica, product))
  const twice =
    users === undefined
      ? `Twice the arrivals, ${rateOf(2 * arrivalsPerSecond)}`
      : `Twice the users, ${figure(2 * users)}`
  return {
    what: load.binding,
    arrivalsPerSecond: capacity,
    atDouble: {
      holds,
      replicas: needed,
      ...(overloaded && { overloaded }),
      ...(perReplica !== undefined && { perReplica }),
    },
    sentence: [
      `${servers(replicas)} ${replicas === 1 ? 'holds' : 'hold'} up to ${rateOf(capacity)}; beyond that ${missed(server, load.binding)}.`,
      `${twice}, ${doubled(holds, replicas, overloaded, perReplica)}.${needed <= replicas ? '' : ` To hold it takes ${servers(needed)}.`}`,
    ].join(' '),
  }
}

/** Slower than is asked, beyond rounding. */
export const isSlow = (at: ReplicaLoad, { tokensPerSecond = 0 }: Product): boolean =>
  at.tokensPerSecondPerUser < tokensPerSecond * (1 - 1e-9)

function missed({ product, evidence }: PlannedServer, binding: PlanBinding): string {
  switch (binding) {
    case 'floor':
      return `the floor of ${figure(product.tokensPerSecond ?? 0)} tok/s/user breaks first`
    case 'ttft':
      return `the limit of ${figure(product.ttftMs ?? 0)} ms to the first token breaks first`
    case 'serverLimit':
      return beyondWords(evidence.curve.fitted.limit?.by)
    case 'kv':
      return 'the KV cache is full first'
    case 'measuredRange':
      return 'nothing is known: no greater load was measured'
    default:
      return 'throughput falls first'
  }
}

function doubled(holds: boolean, replicas: number, overloaded: true | undefined, at: ReplicaLoad | undefined): string {
  const they = replicas === 1 ? 'it' : 'they'
  if (overloaded) return `are more than ${they} can answer: those in flight grow without end`
  if (at === undefined) return 'are more than anything is known of'
  const each = `${figure(at.inFlight)} in flight each at ${figure(at.tokensPerSecondPerUser)} tok/s/user`
  return holds ? `still hold: ${each}` : `would be ${each}`
}

/** Of a load so far out nothing more is asked. */
const MOST = 1e9

/** The load at which a replica answers so many a second. A law says how many it ever does; of points nobody knows. */
function atRate(
  { replica, perReplica, evidence, load }: PlannedServer,
  requestsPerSecond: number,
): { readonly overloaded?: true; readonly perReplica?: ReplicaLoad } {
  // More than the KV cache holds only wait.
  const full = load.binding === 'kv' ? replica.at(perReplica) : undefined
  if (full !== undefined && full.requestsPerSecond < requestsPerSecond) return { overloaded: true }
  let most = perReplica
  for (let at = replica.at(most); at !== undefined && most < MOST; at = replica.at(most)) {
    if (at.requestsPerSecond >= requestsPerSecond) {
      const found = replica.answering(requestsPerSecond, most)
      return found === undefined ? {} : { perReplica: found }
    }
    most *= 2
  }
  // What is foretold is so of every load.
  if (evidence.isPredicted !== undefined) return { overloaded: true }
  const ceiling = evidence.fit.ceilingTokensPerSecond
  const tokens = requestsPerSecond * tokensOf(replica.at(perReplica)) * (evidence.fit.replicas ?? 1)
  return ceiling !== undefined && tokens >= ceiling ? { overloaded: true } : {}
}

/** Of one answer. */
const tokensOf = (at: ReplicaLoad | undefined): number =>
  at === undefined || at.requestsPerSecond === 0 ? 0 : at.outputTokensPerSecond / at.requestsPerSecond
