import type { EnginePolicy } from '../engine/policy.ts'
import type { Fleet, Pool, TransferLink } from './fleet.ts'
import { type Lane, serves } from './lane.ts'

/** All that makes a fleet impossible, each in a sentence of its own; none: it can run. */
export function fleetProblems(fleet: Fleet, lanes: readonly Lane[]): readonly string[] {
  const { pools, link, loadGuard = 1 } = fleet
  const names = pools.map(({ name }) => name)
  const twice = names.filter((name, i) => names.indexOf(name) < i)
  return [
    ...(pools.length === 0 ? ['A fleet needs a pool.'] : []),
    ...(lanes.length === 0 ? ['A fleet needs a lane that brings requests.'] : []),
    ...[...new Set(twice)].map((name) => `Two pools are called ${name}.`),
    ...pools.flatMap(poolProblems),
    ...lanes.flatMap((lane) => laneProblems(lane, pools)),
    ...(loadGuard >= 1 ? [] : [`A load guard of ${loadGuard} passes over every replica; it is at least 1.`]),
    ...(link === undefined ? missingLink(pools) : linkProblems(link)),
  ]
}

function poolProblems({ name, replicas, dataParallel, gpusPerReplica = 1, policy }: Pool): readonly string[] {
  return [
    ...countProblem(`Pool ${name}: its replicas`, replicas),
    ...countProblem(`Pool ${name}: the engines of a replica`, dataParallel),
    ...countProblem(`Pool ${name}: the GPUs of a replica`, gpusPerReplica),
    ...policyProblems(policy).map((problem) => `Pool ${name}: ${problem}`),
  ]
}

function policyProblems({ maxNumSeqs, maxBatchedTokens, kvTokens, blockTokens }: EnginePolicy): readonly string[] {
  return [
    ...countProblem('sequences at once', maxNumSeqs),
    ...countProblem('tokens of a step', maxBatchedTokens),
    ...countProblem('tokens of a KV block', blockTokens),
    ...(kvTokens >= blockTokens ? [] : [`a KV cache of ${kvTokens} tokens has no room for a block of ${blockTokens}.`]),
  ]
}

function countProblem(what: string, count: number): readonly string[] {
  return Number.isSafeInteger(count) && count >= 1 ? [] : [`${what} must be a whole number, at least 1, not ${count}.`]
}

/** Somebody must take a lane's requests in, and somebody must answer those that were only read. */
function laneProblems(lane: Lane, pools: readonly Pool[]): readonly string[] {
  const unknown = (lane.pools ?? []).filter((name) => !pools.some((pool) => pool.name === name))
  const roles = pools.filter(({ name }) => serves(lane, name)).map(({ role }) => role)
  const reads = roles.includes('prefill')
  const answers = roles.includes('decode')
  return [
    ...unknown.map((name) => `Lane ${lane.name} names a pool ${name} that is not there.`),
    ...(reads && !answers ? [`Lane ${lane.name} has a pool that reads its prompts, but none that answers them.`] : []),
    ...(answers && !reads ? [`Lane ${lane.name} has a pool that only answers, but none that reads for it.`] : []),
    ...(roles.length === 0 && pools.length > 0 ? [`Lane ${lane.name} has no pool to go to.`] : []),
  ]
}

function missingLink(pools: readonly Pool[]): readonly string[] {
  return pools.some(({ role }) => role !== 'both')
    ? ['Pools that read and pools that answer need a link between them.']
    : []
}

function linkProblems({ bytesPerSecond, bytesPerToken, concurrency }: TransferLink): readonly string[] {
  const places = concurrency === Infinity ? [] : countProblem('Transfers at once', concurrency)
  return [
    ...places,
    ...(bytesPerSecond > 0 ? [] : [`A link of ${bytesPerSecond} bytes a second carries nothing.`]),
    ...(bytesPerToken > 0 && bytesPerToken < Infinity ? [] : [`A token of ${bytesPerToken} bytes is none.`]),
  ]
}
