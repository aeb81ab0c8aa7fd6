import type { FleetState, Journey, Observer } from '../../../src/sim/answer/observer.ts'
import type { Engine } from '../../../src/sim/engine/engine.ts'
import type { Finished, Sequence } from '../../../src/sim/engine/sequence.ts'
import type { Fleet, Pool } from '../../../src/sim/fleet/fleet.ts'
import type { Lane } from '../../../src/sim/fleet/run-fleet.ts'
import { createReferenceEngine } from './engine.ts'

/** One replica of a pool: its engines, and what was sent to each and has not ended. */
interface Replica {
  readonly pool: number
  readonly role: Pool['role']
  readonly engines: readonly Engine[]
  readonly inFlight: Set<Sequence>
}

/** A request that has come and not ended. */
interface Trip {
  readonly journey: Journey
  readonly priority: number
  /** What the engine told that read the prompt, where another one answers. */
  read?: Finished
}

/** A request on its way to an engine. */
interface Transfer {
  readonly trip: Trip
  readonly endS: number
}

/** A fleet by the page: at each event every lane, transfer and engine is asked which is next. */
export function runReferenceFleet(fleet: Fleet, lanes: readonly Lane[], observer: Observer): number {
  const trips = new Map<number, Trip>()
  const place = new Map<Engine, Replica>()
  const replicas: Replica[] = []
  const engines: Engine[] = []
  const entering: Transfer[] = []
  const onTheWay: Transfer[] = []
  const queue: Trip[] = []
  const pointers = new Map<string, number>()
  let ids = 0
  let nowS = 0

  const listener = {
    segment: observer.segment.bind(observer),
    preempted: observer.preempted.bind(observer),
    resumed: observer.resumed.bind(observer),
    finished(engine: Engine, done: Finished) {
      const replica = place.get(engine)
      const trip = trips.get(done.sequence.id)
      if (replica === undefined || trip === undefined) throw new Error('nobody asked for it')
      replica.inFlight.delete(done.sequence)
      if (replica.role === 'prefill') {
        trip.read = { ...done }
        queue.push(trip)
        startTransfers()
      } else end(trip, replica.pool, done)
    },
  }
  for (const [pool, { role, replicas: count, dataParallel, policy, stepTime }] of fleet.pools.entries()) {
    for (let r = 0; r < count; r++) {
      const ranks: Engine[] = []
      const replica: Replica = { pool, role, engines: ranks, inFlight: new Set() }
      for (let rank = 0; rank < dataParallel; rank++) {
        const index = engines.length
        const engine = createReferenceEngine({ index, policy, stepTime, listener, groups: observer.groups })
        engines.push(engine)
        ranks.push(engine)
        place.set(engine, replica)
      }
      replicas.push(replica)
    }
  }

  const state: FleetState = {
    running: (pool) => total(enginesOf(pool).map((engine) => engine.running)),
    waiting: (pool) => total(enginesOf(pool).map((engine) => engine.waiting)),
    kvShare(pool, atS) {
      const blocks = total(enginesOf(pool).map((engine) => engine.blocks))
      if (blocks === Number.POSITIVE_INFINITY) return undefined
      return total(enginesOf(pool).map((engine) => engine.blocksHeld(atS))) / blocks
    },
    get inTransfer() {
      return queue.length + onTheWay.length
    },
  }
  const enginesOf = (pool: number): Engine[] =>
    replicas.filter((one) => one.pool === pool).flatMap((one) => one.engines)

  // ---- where to -----------------------------------------------------------------------------------------------------------

  const servesLane = (lane: number, { pool }: Replica): boolean =>
    lanes[lane]?.pools?.includes(fleet.pools[pool]?.name ?? '') ?? true

  const canHold = ({ engines: [engine] }: Replica, sequence: Sequence): boolean => engine?.holds(sequence) ?? false

  const rankOf = (replica: Replica): Engine => least(replica.engines, (engine) => 4 * engine.waiting + engine.running)

  const cachedBy = (replica: Replica, sequence: Sequence): number => rankOf(replica).cachedTokens(sequence, nowS)

  /** The next in turn, from where the last one of the lane left off. */
  const nextInTurn = (name: string, all: readonly Replica[], fit: readonly Replica[]): Replica => {
    const from = pointers.get(name) ?? 0
    const inTurn = [...all.slice(from), ...all.slice(0, from)]
    const replica = first(inTurn.filter((one) => fit.includes(one)))
    pointers.set(name, (all.indexOf(replica) + 1) % all.length)
    return replica
  }

  const choose = (sequence: Sequence, all: readonly Replica[], fit: readonly Replica[]): Replica => {
    switch (fleet.routing) {
      case 'roundRobin':
        return nextInTurn(`${sequence.lane} in`, all, fit)
      case 'leastInFlight':
        return least(fit, ({ inFlight }) => inFlight.size)
      case 'leastTokens':
        return least(fit, ({ inFlight }) => total([...inFlight].map((one) => one.promptTokens + one.outputTokens)))
      case 'prefixCache': {
        const mean = total(fit.map(({ inFlight }) => inFlight.size)) / fit.length
        const guarded = fit.filter(({ inFlight }) => inFlight.size <= (fleet.loadGuard ?? 1.5) * mean + 1)
        const most = Math.max(...guarded.map((one) => cachedBy(one, sequence)))
        const best = guarded.filter((one) => cachedBy(one, sequence) === most)
        return least(best, ({ inFlight }) => inFlight.size)
      }
    }
  }

  const send = (replica: Replica, sequence: Sequence): void => {
    replica.inFlight.add(sequence)
    rankOf(replica).submit(sequence, nowS)
  }

  // ---- a request's way ----------------------------------------------------------------------------------------------------

  const arrive = (lane: number): void => {
    const { source, priority } = lanes[lane]!
    const arrival = source.take()
    const group = observer.arrived(lane, nowS, state)
    const id = ids++
    const trip = { journey: { id, lane, arrival, group, pool: -1 }, priority }
    if (fleet.entrySeconds === undefined) enter(trip)
    else entering.push({ trip, endS: nowS + Math.max(fleet.entrySeconds(arrival.promptTokens), 1e-6) })
  }

  const enter = (trip: Trip): void => {
    const { lane, id, arrival } = trip.journey
    const whole = sequenceOf(trip)
    const decodes = replicas.filter((one) => one.role === 'decode' && servesLane(lane, one))
    const isHeldLater = decodes.some((one) => canHold(one, whole))
    const entries = replicas.filter((one) => one.role !== 'decode' && servesLane(lane, one))
    const first = (one: Replica): Sequence => (one.role === 'prefill' ? { ...whole, outputTokens: 1 } : whole)
    const fit = entries.filter((one) => canHold(one, first(one)) && (one.role === 'both' || isHeldLater))
    if (fit.length === 0) {
      observer.refused(trip.journey, nowS, 'no engine can hold it')
      lanes[lane]!.source.ended(arrival, nowS)
      return
    }
    trips.set(id, trip)
    const replica = choose(whole, entries, fit)
    send(replica, first(replica))
  }

  const startTransfers = (): void => {
    if (fleet.link === undefined) throw new Error('a prefill pool has no link')
    const { bytesPerSecond, bytesPerToken, concurrency } = fleet.link
    while (onTheWay.length < concurrency && queue.length > 0) {
      const trip = first(queue)
      queue.shift()
      const transferS = (trip.journey.arrival.promptTokens * bytesPerToken) / bytesPerSecond
      onTheWay.push({ trip, endS: nowS + Math.max(transferS, 1e-6) })
    }
  }

  const arriveAtDecode = (transfer: Transfer): void => {
    onTheWay.splice(onTheWay.indexOf(transfer), 1)
    startTransfers()
    const sequence: Sequence = { ...sequenceOf(transfer.trip), isPrefilled: true }
    const all = replicas.filter((one) => one.role === 'decode' && servesLane(sequence.lane, one))
    const fit = all.filter((one) => canHold(one, sequence))
    const inTurn = fleet.routing === 'roundRobin'
    send(inTurn ? nextInTurn(`${sequence.lane} out`, all, fit) : least(fit, ({ inFlight }) => inFlight.size), sequence)
  }

  const end = ({ journey, read }: Trip, pool: number, done: Finished): void => {
    trips.delete(journey.id)
    const whole: Finished =
      read === undefined
        ? done
        : {
            ...done,
            admittedS: read.admittedS,
            cachedTokens: read.cachedTokens,
            preemptions: read.preemptions + done.preemptions,
            recomputedTokens: read.recomputedTokens + done.recomputedTokens,
          }
    observer.ended({ ...journey, pool }, whole)
    lanes[journey.lane]!.source.ended(journey.arrival, done.lastTokenS)
  }

  // ---- events -------------------------------------------------------------------------------------------------------------

  for (;;) {
    const dueS = Math.min(
      ...lanes.map(({ source }) => source.nextS),
      ...[...entering, ...onTheWay].map(({ endS }) => endS),
      ...engines.map((engine) => engine.nextS),
    )
    if (dueS === Number.POSITIVE_INFINITY) return nowS
    nowS = Math.max(nowS, Math.min(dueS, observer.nextLookS))
    const lane = lanes.findIndex(({ source }) => source.nextS <= nowS)
    const entered = entering.findIndex(({ endS }) => endS <= nowS)
    const transfer = onTheWay.find(({ endS }) => endS <= nowS)
    if (observer.nextLookS <= nowS) observer.look(nowS, state)
    else if (lane >= 0) arrive(lane)
    else if (entered >= 0) enter(entering.splice(entered, 1)[0]!.trip)
    else if (transfer !== undefined) arriveAtDecode(transfer)
    else engines.find((engine) => engine.nextS <= nowS)!.advance()
    if (observer.isDone(nowS)) return nowS
  }
}

function sequenceOf({ journey, priority }: Pick<Trip, 'journey' | 'priority'>): Sequence {
  const { id, lane, group, arrival } = journey
  const { promptTokens, outputTokens, parts, ownId } = arrival
  return {
    id,
    lane,
    group,
    priority,
    promptTokens,
    outputTokens,
    ...(parts === undefined ? {} : { parts }),
    ...(ownId === undefined ? {} : { ownId }),
  }
}

const total = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw new Error('there is none')
  return one
}

/** The first of those with the least. */
function least<T>(all: readonly T[], of: (one: T) => number): T {
  return all.reduce((best, one) => (of(one) < of(best) ? one : best), first(all))
}
