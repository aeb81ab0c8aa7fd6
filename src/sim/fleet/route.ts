import type { Engine } from '../engine/engine.ts'
import type { EnginePolicy } from '../engine/policy.ts'
import type { Routing } from './fleet.ts'
import type { Leg } from './leg.ts'
import type { Station } from './station.ts'

/**
 * Chooses for the requests of one lane among the replicas of some pools. Pools that could never hold a request are no choice for it.
 *
 * What a choice costs: nothing that grows with the replicas, and log₂ of them to keep the least at hand. But `prefixCache` goes over all of
 * them where a prompt begins with something known (for others the least in flight is the answer), and asks those that could be better than
 * the best so far: few where most hold all of it, as of a common system prompt; all where none does.
 */
export class Route {
  readonly #stations: readonly Station[]
  readonly #routing: Routing
  readonly #loadGuard: number
  /** Those that answer what pools of this route have only read. */
  readonly #answerers: readonly Station[]
  /** Of `roundRobin`: whose turn it is, counted over the replicas of all its pools. */
  #turn = 0

  constructor(stations: readonly Station[], routing: Routing, loadGuard: number, answerers: readonly Station[]) {
    this.#stations = stations
    this.#routing = routing
    this.#loadGuard = loadGuard
    this.#answerers = answerers
  }

  /** The engine that takes a request; undefined: none could ever hold it. */
  choose(leg: Leg, nowS: number): Engine | undefined {
    if (this.#routing === 'roundRobin') return this.#inTurn(leg)
    return this.#routing === 'prefixCache' && leg.parts !== undefined
      ? this.#mostCached(leg, nowS)
      : this.#leastLoaded(leg)
  }

  /** Whether a pool could ever hold it, and where it would only read, whether another could then answer. */
  #canTake(station: Station, leg: Leg): boolean {
    if (!station.holds(leg)) return false
    return station.pool.role !== 'prefill' || this.#answerers.some((one) => one.holds(leg))
  }

  #inTurn(leg: Leg): Engine | undefined {
    let turn = this.#turn
    // From the turn to the last, then from the first on: two laps see all.
    for (let lap = 0; lap < 2; lap++) {
      let from = 0
      for (const station of this.#stations) {
        const end = from + station.pool.replicas
        if (turn < end) {
          if (this.#canTake(station, leg)) {
            this.#turn = turn + 1
            return station.engineOf(turn - from)
          }
          turn = end
        }
        from = end
      }
      turn = 0
    }
    return undefined
  }

  #leastLoaded(leg: Leg): Engine | undefined {
    let best: Station | undefined
    for (const station of this.#stations) {
      if ((best === undefined || station.loads.leastKey < best.loads.leastKey) && this.#canTake(station, leg))
        best = station
    }
    return best?.engineOf(best.loads.least)
  }

  #mostCached(leg: Leg, nowS: number): Engine | undefined {
    const stations = this.#stations.filter((station) => this.#canTake(station, leg))
    let inFlight = 0
    let replicas = 0
    for (const station of stations) {
      inFlight += station.inFlight
      replicas += station.pool.replicas
    }
    const most = (this.#loadGuard * inFlight) / replicas + 1
    let best: Engine | undefined
    let bestCached = -1
    let bestLoad = Infinity
    for (const station of stations) {
      const cacheable = cacheableTokens(leg, station.pool.policy)
      for (let replica = 0; replica < station.pool.replicas; replica++) {
        const load = station.loads.key(replica)
        // To ask is what costs: not one that could not be better than the best so far.
        if (load > most || (load >= bestLoad && bestCached >= cacheable)) continue
        const engine = station.engineOf(replica)
        const cached = engine.cachedTokens(leg, nowS)
        if (cached > bestCached || (cached === bestCached && load < bestLoad)) {
          best = engine
          bestCached = cached
          bestLoad = load
        }
      }
    }
    return best
  }
}

/** The most that a cache could hold of a prompt: whole blocks of what is shared, and one token is always read. */
function cacheableTokens({ promptTokens, parts = [] }: Leg, { prefixCache, blockTokens }: EnginePolicy): number {
  if (!prefixCache) return 0
  let shared = 0
  for (const { tokens } of parts) shared += tokens
  return Math.floor(Math.min(shared, promptTokens - 1) / blockTokens) * blockTokens
}
