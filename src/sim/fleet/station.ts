import type { Levels } from '../answer/levels.ts'
import type { Engine } from '../engine/engine.ts'
import type { Pool, Routing } from './fleet.ts'
import type { Leg } from './leg.ts'
import { MinTree } from './min-tree.ts'

interface Decided {
  atS: number
  blocks: number
}

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
  readonly #first: Engine
  readonly #countsTokens: boolean
  readonly #levels: Levels | undefined
  /** Of each engine, when it last decided, and the blocks that were held then; only where somebody is told. */
  readonly #decided: Decided[]

  constructor(index: number, pool: Pool, engines: readonly Engine[], routing: Routing, levels?: Levels) {
    this.index = index
    this.pool = pool
    this.engines = engines
    this.#first = engines[0] as Engine
    this.loads = new MinTree(pool.replicas, 0)
    this.#countsTokens = routing === 'leastTokens' && pool.role !== 'decode'
    this.#levels = levels
    const isTold = levels !== undefined && this.#first.blocks !== Infinity
    this.#decided = isTold ? engines.map(() => ({ atS: 0, blocks: 0 })) : []
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
    this.#queued(engine.waiting - before, nowS)
  }

  advance(engine: Engine): void {
    const nowS = engine.nextS
    const before = engine.waiting
    const decided = this.#toldOf(engine)
    if (decided !== undefined) this.#held(engine, decided, nowS)
    engine.advance()
    this.#queued(engine.waiting - before, nowS)
    if (decided !== undefined) decided.blocks = engine.blocksHeld(nowS)
  }

  /** The run stops: tells what the engines hold while they run on. */
  stop(nowS: number): void {
    for (const engine of this.engines) {
      const decided = this.#toldOf(engine)
      if (decided !== undefined) this.#held(engine, decided, nowS)
    }
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

  /** Undefined where nobody wants to know. */
  #toldOf(engine: Engine): Decided | undefined {
    if (this.#decided.length === 0) return undefined
    const decided = this.#decided[engine.index - this.#first.index]
    return decided === undefined || this.#levels?.isOver(decided.atS) === true ? undefined : decided
  }

  /** Blocks are taken step by step between two decisions. */
  #held(engine: Engine, decided: Decided, nowS: number): void {
    const blocks = engine.blocksHeld(nowS)
    if (blocks > 0 || decided.blocks > 0) this.#levels?.held(engine.index, decided, nowS, blocks)
    decided.atS = nowS
  }

  #queued(change: number, nowS: number): void {
    if (change === 0) return
    this.waiting += change
    this.#levels?.waiting(this.index, this.waiting, nowS)
  }

  #count(engine: Engine, leg: Leg, sign: 1 | -1): void {
    const replica = Math.floor((engine.index - this.#first.index) / this.pool.dataParallel)
    const load = this.#countsTokens ? leg.promptTokens + leg.outputTokens : 1
    this.inFlight += sign
    this.loads.set(replica, this.loads.key(replica) + sign * load)
  }
}
