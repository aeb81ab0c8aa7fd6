import type { Engine } from '../engine/engine.ts'
import type { Pool, Routing } from './fleet.ts'
import type { Leg } from './leg.ts'
import { MinTree } from './min-tree.ts'

/** A pool at work: its engines, and what each of its replicas has in flight. */
export class Station {
  /** Place of the pool in the fleet. */
  readonly index: number
  readonly pool: Pool
  /** Replica by replica, rank by rank. */
  readonly engines: readonly Engine[]
  /** Of each replica what routing compares: its requests in flight, or their tokens. */
  readonly loads: MinTree
  inFlight = 0
  waiting = 0
  readonly #countsTokens: boolean

  constructor(index: number, pool: Pool, engines: readonly Engine[], routing: Routing) {
    this.index = index
    this.pool = pool
    this.engines = engines
    this.loads = new MinTree(pool.replicas, 0)
    this.#countsTokens = routing === 'leastTokens' && pool.role !== 'decode'
  }

  /** Whether it could ever hold the request, alone. All engines of a pool are alike. */
  holds(leg: Leg): boolean {
    return this.#first.holds(this.pool.role === 'prefill' ? leg.reader() : leg)
  }

  /** The engine of a replica that takes its next request: the one with the least of 4·waiting + running, as vLLM's data-parallel balancer weighs. */
  engineOf(replica: number): Engine {
    const { dataParallel } = this.pool
    const from = replica * dataParallel
    let best = this.engines[from] as Engine
    if (dataParallel === 1) return best
    let least = 4 * best.waiting + best.running
    for (let rank = 1; rank < dataParallel; rank++) {
      const engine = this.engines[from + rank] as Engine
      const weight = 4 * engine.waiting + engine.running
      if (weight < least) {
        best = engine
        least = weight
      }
    }
    return best
  }

  submit(engine: Engine, leg: Leg, nowS: number): void {
    leg.pool = this.index
    this.#count(engine, leg, 1)
    const before = engine.waiting
    engine.submit(leg, nowS)
    this.waiting += engine.waiting - before
  }

  advance(engine: Engine): void {
    const before = engine.waiting
    engine.advance()
    this.waiting += engine.waiting - before
  }

  left(engine: Engine, leg: Leg): void {
    this.#count(engine, leg, -1)
  }

  /** Share of its KV blocks that are held; undefined without a limit. */
  kvShare(nowS: number): number | undefined {
    const { blocks } = this.#first
    if (blocks === Infinity) return undefined
    let held = 0
    for (const engine of this.engines) held += engine.blocksHeld(nowS)
    return held / (blocks * this.engines.length)
  }

  get #first(): Engine {
    return this.engines[0] as Engine
  }

  #count(engine: Engine, leg: Leg, sign: 1 | -1): void {
    const replica = Math.floor((engine.index - this.#first.index) / this.pool.dataParallel)
    const load = this.#countsTokens ? leg.promptTokens + leg.outputTokens : 1
    this.inFlight += sign
    this.loads.set(replica, this.loads.key(replica) + sign * load)
  }
}
