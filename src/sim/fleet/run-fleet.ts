import { TwospeedError } from '../../core/index.ts'
import type { FleetState, Observer } from '../answer/observer.ts'
import type { Arrival } from '../arrivals/source.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { Engine, EngineListener, Segment } from '../engine/engine.ts'
import type { Finished, Sequence, Unfinished } from '../engine/sequence.ts'
import type { Fleet, TransferLink } from './fleet.ts'
import { fleetProblems } from './fleet-problems.ts'
import { type Lane, serves } from './lane.ts'
import { Leg, type Reading } from './leg.ts'
import { MinTree } from './min-tree.ts'
import { Route } from './route.ts'
import { Station } from './station.ts'
import { Way } from './way.ts'

export type { Lane } from './lane.ts'

/** One who asks again at once when refused would do so for ever: so many refusals with nothing between them are the end. */
const MOST_REFUSALS = 10_000

/**
 * Runs a fleet until its observer has seen enough, or nothing more can happen. Returns the last instant, in seconds.
 *
 * One total order of events, so that the same requests and the same policies give the same bytes: by time; at one time looks, then
 * arrivals (lane, then order in the lane), then requests that servers have taken in, then transfers that end, then engines by their index.
 *
 *     source ─▶ entry ─▶ route ─▶ engine ─────────────────────────▶ end
 *                                   └─▶ link ─▶ route ─▶ engine ──▶ end      (a pool reads, another answers)
 *
 * What one event costs does not grow with tokens, and with engines and replicas as log₂ of them; `Route` says what choosing costs.
 *
 * @throws TwospeedError `IMPOSSIBLE_CONFIGURATION`, with all that is wrong with the fleet; `NEVER_FITS`, where nothing but refusals happens
 */
export function runFleet(
  fleet: Fleet,
  lanes: readonly Lane[],
  observer: Observer,
  makeEngine: typeof createEngine = createEngine,
): number {
  const problems = fleetProblems(fleet, lanes)
  if (problems.length > 0) {
    throw new TwospeedError('IMPOSSIBLE_CONFIGURATION', problems.join(' '), 'Change what is named; all of it is.')
  }
  return new Run(fleet, lanes, observer, makeEngine).run()
}

class Run implements EngineListener, FleetState {
  readonly #lanes: readonly Lane[]
  readonly #observer: Observer
  readonly #engines: Engine[] = []
  /** Of each engine, the pool it is of. */
  readonly #stationOf: Station[] = []
  readonly #stations: readonly Station[]
  /** Of each lane: who takes its requests in, and who answers those that a pool has only read. */
  readonly #entries: readonly Route[]
  readonly #answerers: readonly Route[]
  /** When each lane next brings a request, and each engine is next due. */
  readonly #arrivals: MinTree
  readonly #due: MinTree
  readonly #entry: Way | undefined
  readonly #link: Way
  #nowS = 0
  #ids = 0
  /** Of each lane, since one of its requests was taken in. */
  readonly #refusals: number[]

  constructor(fleet: Fleet, lanes: readonly Lane[], observer: Observer, makeEngine: typeof createEngine) {
    const { pools, routing, loadGuard = 1.5, link, entrySeconds } = fleet
    this.#lanes = lanes
    this.#refusals = lanes.map(() => 0)
    this.#observer = observer
    this.#stations = pools.map((pool, index) => {
      const engines: Engine[] = []
      for (let i = 0; i < pool.replicas * pool.dataParallel; i++) {
        const { policy, stepTime } = pool
        engines.push(
          makeEngine({ index: this.#engines.length + i, policy, stepTime, listener: this, groups: observer.groups }),
        )
      }
      const station = new Station(index, pool, engines, routing, observer.levels)
      for (const engine of engines) {
        this.#engines.push(engine)
        this.#stationOf.push(station)
      }
      return station
    })
    const serving = (lane: Lane, answers: boolean): readonly Station[] =>
      this.#stations.filter(({ pool }) => (pool.role === 'decode') === answers && serves(lane, pool.name))
    const answerRouting = routing === 'roundRobin' ? routing : 'leastInFlight'
    this.#answerers = lanes.map((lane) => new Route(serving(lane, true), answerRouting, loadGuard, []))
    this.#entries = lanes.map((lane) => new Route(serving(lane, false), routing, loadGuard, serving(lane, true)))
    this.#due = new MinTree(this.#engines.length, Infinity)
    this.#arrivals = new MinTree(lanes.length, Infinity)
    for (const [i, { source }] of lanes.entries()) this.#arrivals.set(i, source.nextS)
    this.#entry = entrySeconds && new Way(Infinity, entrySeconds)
    this.#link = new Way(link?.concurrency ?? 1, transferSeconds(link))
  }

  run(): number {
    const observer = this.#observer
    for (;;) {
      const arrivalS = this.#arrivals.leastKey
      const entryS = this.#entry === undefined ? Infinity : this.#entry.nextS
      const transferS = this.#link.nextS
      const dueS = Math.min(arrivalS, entryS, transferS, this.#due.leastKey)
      if (dueS === Infinity) return this.#stop()
      const lookS = observer.nextLookS
      this.#nowS = Math.max(this.#nowS, Math.min(lookS, dueS))
      if (lookS <= dueS) observer.look(this.#nowS, this)
      else if (arrivalS === dueS) this.#arrive(this.#arrivals.least)
      else if (entryS === dueS) this.#enter(this.#entry?.take() as Leg)
      else if (transferS === dueS) this.#transferred(this.#link.take() as Leg)
      else this.#advance(this.#due.least)
      if (observer.isDone(this.#nowS)) return this.#stop()
    }
  }

  #stop(): number {
    const observer = this.#observer
    const nowS = this.#nowS
    for (const station of this.#stations) station.stop(nowS)
    if (observer.unanswered === undefined) return nowS
    for (const leg of this.#entry?.all() ?? []) observer.unanswered(leg, nowS)
    const tell = (left: Unfinished): void => {
      const leg = left.sequence as Leg
      // Of what was read in a pool of its own no user has seen anything.
      observer.unanswered?.(leg, nowS, leg.answer === undefined ? left : undefined)
    }
    for (const engine of this.#engines) engine.stop(nowS, tell)
    for (const leg of this.#link.all()) observer.unanswered(leg, nowS)
    return nowS
  }

  #arrive(lane: number): void {
    const { source, priority } = this.#lanes[lane] as Lane
    const arrival = source.take()
    this.#arrivals.set(lane, source.nextS)
    const group = this.#observer.arrived(lane, this.#nowS, this)
    const leg = new Leg(this.#ids++, lane, group, priority, arrival)
    if (this.#entry === undefined) this.#enter(leg)
    else this.#entry.add(leg, this.#nowS)
  }

  #enter(leg: Leg): void {
    const engine = this.#entries[leg.lane]?.choose(leg, this.#nowS)
    if (engine === undefined) this.#refuse(leg)
    else {
      this.#refusals[leg.lane] = 0
      this.#submit(engine, this.#stationOf[engine.index]?.pool.role === 'prefill' ? leg.reader() : leg)
    }
  }

  #transferred(leg: Leg): void {
    this.#linkChanged()
    leg.isPrefilled = true
    // It was taken in because there is one that can hold it.
    this.#submit(this.#answerers[leg.lane]?.choose(leg, this.#nowS) as Engine, leg)
  }

  #submit(engine: Engine, leg: Leg): void {
    this.#stationOf[engine.index]?.submit(engine, leg, this.#nowS)
    this.#due.set(engine.index, engine.nextS)
  }

  #advance(index: number): void {
    const engine = this.#engines[index] as Engine
    this.#stationOf[index]?.advance(engine)
    this.#due.set(index, engine.nextS)
  }

  #refuse(leg: Leg): void {
    const { promptTokens, outputTokens, lane } = leg
    const why = `A prompt of ${promptTokens} tokens and an answer of ${outputTokens} are more than the KV cache of any engine holds.`
    const refusals = (this.#refusals[lane] ?? 0) + 1
    this.#refusals[lane] = refusals
    if (refusals === MOST_REFUSALS && leg.arrival.user !== undefined) throw neverFits(this.#lanes, lane, why)
    this.#observer.refused(leg, this.#nowS, why)
    this.#ended(leg.lane, leg.arrival, this.#nowS)
  }

  #linkChanged(): void {
    this.#observer.levels?.link(this.#link.moving, this.#link.size - this.#link.moving, this.#nowS)
  }

  #ended(lane: number, arrival: Arrival, endS: number): void {
    const { source } = this.#lanes[lane] as Lane
    source.ended(arrival, endS)
    this.#arrivals.set(lane, source.nextS)
  }

  // ---- what engines tell ----------------------------------------------------------------------------------------------------

  finished(engine: Engine, done: Finished): void {
    // What an engine gives back is what it was given.
    const leg = done.sequence as Leg
    this.#stationOf[engine.index]?.left(engine, leg)
    if (leg.answer !== undefined) {
      const { admittedS, cachedTokens, preemptions, recomputedTokens } = done
      leg.answer.reading = { admittedS, cachedTokens, preemptions, recomputedTokens }
      this.#link.add(leg.answer, done.lastTokenS)
      this.#linkChanged()
      return
    }
    this.#observer.ended(leg, leg.reading === undefined ? done : wholeOf(leg.reading, done))
    this.#ended(leg.lane, leg.arrival, done.lastTokenS)
  }

  segment(engine: Engine, segment: Segment): void {
    this.#observer.segment(engine, segment)
  }

  preempted(engine: Engine, sequence: Sequence, nowS: number): void {
    this.#observer.preempted(engine, sequence, nowS)
  }

  resumed(engine: Engine, sequence: Sequence, gapS: number): void {
    this.#observer.resumed(engine, sequence, gapS)
  }

  // ---- what the observer may ask --------------------------------------------------------------------------------------------

  running(pool: number): number {
    const station = this.#stations[pool]
    return station === undefined ? 0 : station.inFlight - station.waiting
  }

  waiting(pool: number): number {
    return this.#stations[pool]?.waiting ?? 0
  }

  kvShare(pool: number, nowS: number): number | undefined {
    return this.#stations[pool]?.kvShare(nowS)
  }

  get inTransfer(): number {
    return this.#link.size
  }
}

function transferSeconds(link: TransferLink | undefined): (promptTokens: number) => number {
  if (link === undefined) return () => 0
  return (promptTokens) => (promptTokens * link.bytesPerToken) / link.bytesPerSecond
}

/** No request of a lane can ever be held. */
export function neverFits(lanes: readonly { readonly name: string }[], lane: number, why: string): TwospeedError {
  const whose = lanes.length > 1 ? `Lane ${lanes[lane]?.name}: all its requests are refused. ` : ''
  return new TwospeedError('NEVER_FITS', whose + why, 'Shorten the requests, or give the KV cache more room.')
}

/** First admitted where it was read, and lost in both pools what it lost; its tokens are those of the pool that answers. */
function wholeOf(reading: Reading, done: Finished): Finished {
  const { sequence, firstTokenS, lastTokenS, times } = done
  return {
    sequence,
    firstTokenS,
    lastTokenS,
    times,
    admittedS: reading.admittedS,
    cachedTokens: reading.cachedTokens,
    preemptions: reading.preemptions + done.preemptions,
    recomputedTokens: reading.recomputedTokens + done.recomputedTokens,
  }
}
