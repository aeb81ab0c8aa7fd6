import type { SimulatedLink, SimulatedPool } from '../../core/index.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Levels } from './levels.ts'

/** Means over the window of what stands somewhere, from every change of it. */
export interface LevelMeters extends Levels {
  /** The run is over, and the window ended then: what still stands counts up to there. */
  close(endS: number): void
  ofPool(pool: number): Pick<SimulatedPool, 'meanWaiting' | 'meanKvShare' | 'mostKvShare'>
  ofLink(): SimulatedLink | undefined
}

/** `startS` is undefined until it is known, and known before it comes; so is `endS`, endless till then. */
export interface Edges {
  readonly startS: number | undefined
  readonly endS: number
}

export function createLevelMeters({ pools, link }: Fleet, edges: Edges): LevelMeters {
  const waiting = pools.map(() => new Level(edges))
  const [moving, queued] = [new Level(edges), new Level(edges)]
  const caches = pools.map(({ replicas, dataParallel, policy }) => ({
    blocks: Math.floor(policy.kvTokens / policy.blockTokens),
    engines: replicas * dataParallel,
    blockSeconds: 0,
    most: 0,
  }))
  const ofEngine = caches.flatMap((cache) => Array.from({ length: cache.engines }, () => cache))
  let windowS = 0

  return {
    isOver: (atS) => atS >= edges.endS,
    waiting: (pool, count, nowS) => waiting[pool]?.set(count, nowS),
    held: (engine, from, toS, blocks) => {
      const cache = ofEngine[engine]
      const { startS } = edges
      if (cache === undefined || startS === undefined) return
      const beginS = Math.max(from.atS, startS)
      const endS = Math.min(toS, edges.endS)
      const seconds = endS - beginS
      if (seconds <= 0) return
      const perSecond = (blocks - from.blocks) / (toS - from.atS)
      const first = from.blocks + perSecond * (beginS - from.atS)
      const last = from.blocks + perSecond * (endS - from.atS)
      cache.blockSeconds += (seconds * (first + last)) / 2
      cache.most = Math.max(cache.most, first, last)
    },
    link: (under, waits, nowS) => {
      moving.set(under, nowS)
      queued.set(waits, nowS)
    },
    close: (endS) => {
      windowS = endS - (edges.startS ?? endS)
      for (const level of [...waiting, moving, queued]) level.set(0, endS)
    },
    ofPool: (pool) => {
      const { blocks, engines, blockSeconds, most } = caches[pool] ?? NO_CACHE
      return {
        meanWaiting: (waiting[pool]?.seconds ?? 0) / windowS,
        ...(blocks !== Number.POSITIVE_INFINITY && {
          // Sums of pieces may exceed the whole by a rounding.
          meanKvShare: Math.min(1, blockSeconds / windowS / (blocks * engines)),
          mostKvShare: Math.min(1, most / blocks),
        }),
      }
    },
    ofLink: () => {
      if (link === undefined) return undefined
      const meanMoving = moving.seconds / windowS
      return { busy: Math.min(1, meanMoving / link.concurrency), meanMoving, meanWaiting: queued.seconds / windowS }
    },
  }
}

const NO_CACHE = { blocks: Number.POSITIVE_INFINITY, engines: 1, blockSeconds: 0, most: 0 }

/** A count that stays as it is until it is set anew, and its integral over the window. */
class Level {
  seconds = 0
  readonly #edges: Edges
  #count = 0
  #sinceS = 0

  constructor(edges: Edges) {
    this.#edges = edges
  }

  set(count: number, nowS: number): void {
    const { startS } = this.#edges
    if (this.#count > 0 && startS !== undefined) {
      const insideS = Math.min(nowS, this.#edges.endS) - Math.max(this.#sinceS, startS)
      if (insideS > 0) this.seconds += this.#count * insideS
    }
    this.#count = count
    this.#sinceS = nowS
  }
}
