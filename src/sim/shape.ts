import { TwospeedError } from '../core/index.ts'
import { ROUTINGS } from './fleet/fleet.ts'

// Callers without types hand in anything. What these say is missing would else come out as a TypeError from deep inside.

type Loose = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null
const isMethodOf = (value: unknown, name: string): boolean => isObject(value) && typeof value[name] === 'function'
const isOneOf = (value: unknown, known: readonly string[]): boolean =>
  typeof value === 'string' && known.includes(value)
const unless = (holds: boolean, problem: string): readonly string[] => (holds ? [] : [problem])

/** Throws INVALID_VALUE with all that is missing of what `simulate` takes. */
export function checkSimulation(options: unknown): void {
  const { fleet, lanes, load } = isObject(options) ? options : {}
  const isLoad =
    isObject(load) && isOneOf(load.kind, ['concurrency', 'rate', 'trace']) && typeof load.value === 'number'
  refuse('simulate', [
    ...fleetShape(fleet),
    ...(Array.isArray(lanes) ? lanes.flatMap(laneShape) : ['lanes: a list such as [{name, priority: 0, source}]']),
    ...unless(isLoad, "load: what the lanes bring together, such as {kind: 'rate', value: 5}"),
  ])
}

/** The same of `replay`. */
export function checkReplay(requests: unknown, server: unknown, stepTime: unknown): void {
  refuse('replay', [
    ...unless(
      Array.isArray(requests) && requests.every((request) => isObject(request)),
      'requests: a list of {atS, promptTokens, outputTokens}',
    ),
    ...policyShape('server.policy', isObject(server) ? server.policy : undefined),
    ...stepTimeShape('stepTime', stepTime),
  ])
}

/** The same of `createSource`. */
export function checkSourceShape(plan: unknown): void {
  const { arrivals, work, seed } = isObject(plan) ? plan : {}
  const { kind, trace, process, points } = isObject(arrivals) ? arrivals : {}
  if (!isOneOf(kind, ['users', 'rate', 'curve', 'trace'])) {
    refuse('createSource', [`arrivals: of the kind users, rate, curve or trace, such as {kind: 'users', users: 8}`])
  }
  if (kind === 'trace') {
    refuse('createSource', unless(isObject(trace) && Array.isArray(trace.rows), 'arrivals.trace: {rows, notes}'))
    return
  }
  const { input, output, pairs } = isObject(work) ? work : {}
  const isWork = Array.isArray(pairs) || (isObject(input) && isObject(output))
  refuse('createSource', [
    ...unless(isWork, "work: such as {input: {kind: 'fixed', tokens: 512}, output: {kind: 'fixed', tokens: 128}}"),
    ...unless(typeof seed === 'string' || typeof seed === 'number', 'seed: a number or a text'),
    ...unless(kind === 'users' || isObject(process), "arrivals.process: such as {kind: 'poisson'}"),
    ...unless(kind !== 'curve' || Array.isArray(points), 'arrivals.points: a list of {atS, rate}'),
  ])
}

function fleetShape(fleet: unknown): readonly string[] {
  if (!isObject(fleet)) return ["fleet: such as {pools: [pool], routing: 'leastInFlight'}"]
  const { pools, routing } = fleet
  return [
    ...unless(isOneOf(routing, ROUTINGS), `fleet.routing: one of ${ROUTINGS.join(', ')}`),
    ...(Array.isArray(pools) ? pools.flatMap(poolShape) : ['fleet.pools: a list of pools']),
  ]
}

function poolShape(pool: unknown, i: number): readonly string[] {
  const at = `fleet.pools[${i}]`
  const { name, role, policy, stepTime } = isObject(pool) ? pool : {}
  return [
    ...unless(typeof name === 'string', `${at}.name: a text`),
    ...unless(isOneOf(role, ['both', 'prefill', 'decode']), `${at}.role: both, prefill or decode`),
    ...policyShape(`${at}.policy`, policy),
    ...stepTimeShape(`${at}.stepTime`, stepTime),
  ]
}

function policyShape(at: string, policy: unknown): readonly string[] {
  const { maxNumSeqs, maxBatchedTokens, kvTokens, blockTokens, prefill, kv, admission } = isObject(policy) ? policy : {}
  const isWhole =
    [maxNumSeqs, maxBatchedTokens, kvTokens, blockTokens].every((count) => typeof count === 'number') &&
    isOneOf(prefill, ['chunked', 'first']) &&
    isOneOf(kv, ['preempt', 'reserve']) &&
    isOneOf(admission, ['fcfs', 'priority'])
  return unless(isWhole, `${at}: all of an engine's policy, which enginePolicy({maxNumSeqs: 8}) makes`)
}

const stepTimeShape = (at: string, stepTime: unknown): readonly string[] =>
  unless(
    isMethodOf(stepTime, 'seconds') && isMethodOf(stepTime, 'straightFor'),
    `${at}: what lawStepTime or modelStepTime makes`,
  )

function laneShape(lane: unknown, i: number): readonly string[] {
  const { name, priority, source } = isObject(lane) ? lane : {}
  return [
    ...unless(typeof name === 'string', `lanes[${i}].name: a text`),
    ...unless(typeof priority === 'number', `lanes[${i}].priority: a number; lower goes first`),
    ...unless(isMethodOf(source, 'take') && isMethodOf(source, 'ended'), `lanes[${i}].source: what createSource makes`),
  ]
}

function refuse(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return
  throw new TwospeedError(
    'INVALID_VALUE',
    `${what} needs ${problems.join('; ')}.`,
    'See examples/simulate.mjs, and the types of twospeed.',
  )
}
