import type { SimulatedPool } from '../../core/index.ts'
import type { Segment } from '../engine/engine.ts'
import type { Fleet, Pool } from '../fleet/fleet.ts'
import type { Edges, LevelMeters } from './level-meters.ts'

/** What the engines of each pool did inside the window. */
export interface PoolMeters {
  segment(engine: number, segment: Segment): void
  preempted(engine: number): void
  /** Output tokens of an answer that came inside. */
  answered(pool: number, tokens: number): void
  result(windowS: number, levels: LevelMeters): readonly SimulatedPool[]
  preemptions(): number
  recomputedTokens(): number
}

interface Meter {
  readonly pool: Pool
  busyS: number
  batchS: number
  computed: number
  recomputed: number
  read: number
  answered: number
  preemptions: number
}

export function createPoolMeters(fleet: Fleet, edges: Edges): PoolMeters {
  const meters: Meter[] = fleet.pools.map((pool) => ({
    pool,
    busyS: 0,
    batchS: 0,
    computed: 0,
    recomputed: 0,
    read: 0,
    answered: 0,
    preemptions: 0,
  }))
  // Engines are numbered pool by pool.
  const ofEngine = meters.flatMap((meter) =>
    Array.from({ length: meter.pool.replicas * meter.pool.dataParallel }, () => meter),
  )
  const sum = (of: (meter: Meter) => number): number => meters.reduce((all, meter) => all + of(meter), 0)

  return {
    segment: (engine, { beganS, endS, steps, decoding, prefillTokens, recomputedTokens }) => {
      const meter = ofEngine[engine]
      const { startS } = edges
      if (meter === undefined || startS === undefined) return
      const insideS = Math.min(endS, edges.endS) - Math.max(beganS, startS)
      if (insideS <= 0) return
      const share = insideS / (endS - beganS)
      meter.busyS += insideS
      meter.batchS += decoding * insideS
      meter.computed += share * (decoding * steps + prefillTokens)
      meter.recomputed += share * recomputedTokens
      meter.read += share * (prefillTokens - recomputedTokens)
    },
    preempted: (engine) => {
      const meter = ofEngine[engine]
      if (meter !== undefined) meter.preemptions += 1
    },
    answered: (pool, tokens) => {
      const meter = meters[pool]
      if (meter !== undefined) meter.answered += tokens
    },
    result: (windowS, levels) =>
      meters.map(({ pool, busyS, batchS, computed, recomputed, read, answered, preemptions }, index) => {
        const { name, role, replicas, dataParallel, gpusPerReplica } = pool
        const gpus = gpusPerReplica === undefined ? undefined : replicas * gpusPerReplica
        const tokensPerSecond = (role === 'prefill' ? read : answered) / windowS
        return {
          name,
          role,
          replicas,
          ...(gpus !== undefined && { gpus }),
          // Sums of steps may exceed the time they fill by a rounding.
          busy: Math.min(1, busyS / windowS / (replicas * dataParallel)),
          tokensPerSecond,
          ...(gpus !== undefined && { tokensPerSecondPerGpu: tokensPerSecond / gpus }),
          meanBatch: busyS === 0 ? 0 : batchS / busyS,
          ...levels.ofPool(index),
          wastedShare: computed === 0 ? 0 : recomputed / computed,
          preemptions,
        }
      }),
    preemptions: () => sum(({ preemptions }) => preemptions),
    recomputedTokens: () => Math.round(sum(({ recomputed }) => recomputed)),
  }
}
