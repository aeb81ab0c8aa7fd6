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

/** `edges.startS` is undefined until it is known, and known before it comes; so is `edges.endS`, endless till then. */
export function createLevelMeters(
  { pools, link }: Fleet,
  edges: { readonly startS: number | undefined; readonly endS: number },
): LevelMeters {
  const clip = (atS: number): number => Math.min(Math.max(atS, edges.startS ?? atS), edges.endS)
  /** Seconds of the window in a stretch. */
  const insideS = (fromS: number, toS: number): number =>
    edges.startS === undefined ? 0 : Math.max(0, clip(toS) - clip(fromS))

  const waiting = pools.map(() => createLevel(insideS))
  const [moving, queued] = [createLevel(insideS), createLevel(insideS)]
  const caches = pools.map(({ replicas, dataParallel, policy }) => ({
    blocks: Math.floor(policy.kvTokens / policy.blockTokens),
    engines: replicas * dataParallel,
    blockSeconds: 0,
    most: 0,
  }))
  const ofEngine = caches.flatMap((cache) => Array.from({ length: cache.engines }, () => cache))
  let windowS = 0

  return {
    waiting: (pool, count, nowS) => waiting[pool]?.set(count, nowS),
    held: (engine, from, toS, blocks) => {
      const cache = ofEngine[engine]
      const seconds = insideS(from.atS, toS)
      if (cache === undefined || seconds === 0) return
      const perSecond = (blocks - from.blocks) / (toS - from.atS)
      const first = from.blocks + perSecond * (clip(from.atS) - from.atS)
      const last = from.blocks + perSecond * (clip(toS) - from.atS)
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
        meanWaiting: (waiting[pool]?.seconds() ?? 0) / windowS,
        ...(blocks !== Number.POSITIVE_INFINITY && {
          // Sums of pieces may exceed the whole by a rounding.
          meanKvShare: Math.min(1, blockSeconds / windowS / (blocks * engines)),
          mostKvShare: Math.min(1, most / blocks),
        }),
      }
    },
    ofLink: () => {
      if (link === undefined) return undefined
      const meanMoving = moving.seconds() / windowS
      return { busy: Math.min(1, meanMoving / link.concurrency), meanMoving, meanWaiting: queued.seconds() / windowS }
    },
  }
}

const NO_CACHE = { blocks: Number.POSITIVE_INFINITY, engines: 1, blockSeconds: 0, most: 0 }

/** A count that stays as it is until it is set anew: its integral over the window. */
function createLevel(insideS: (fromS: number, toS: number) => number): {
  set(count: number, nowS: number): void
  seconds(): number
} {
  let [count, sinceS, sum] = [0, 0, 0]
  return {
    set: (next, nowS) => {
      if (count > 0) sum += count * insideS(sinceS, nowS)
      count = next
      sinceS = nowS
    },
    seconds: () => sum,
  }
}
