import { type CacheEffect, type CacheWay, type Product, type Trace, TwospeedError } from '../../core/index.ts'
import { createSource, type Fleet, simulate } from '../../sim/index.ts'
import type { SimulatedUnit } from '../candidate.ts'
import { cacheSentence } from './cache-words.ts'
import { sliceOf } from './slice.ts'

export interface CachedFleet {
  /** Of one replica. */
  readonly unit: SimulatedUnit
  readonly replicas: number
  /** Of one replica. */
  readonly gpus?: number
}

/** Where nothing is said: nine requests in ten. */
const SHARE = 0.9
/** Fleets that are tried for each way, beside the one given; none is more than so many times as large. */
const TRIES = 3
const MOST_TIMES = 4
/** A KV block is no more than such a part of a request: what it rounds up is then a few percent. */
const BLOCKS_OF_REQUEST = 16

type Way = Pick<CacheWay, 'cache' | 'routing'>

const WAYS: readonly Way[] = [
  { cache: false, routing: 'leastInFlight' },
  { cache: true, routing: 'roundRobin' },
  { cache: true, routing: 'prefixCache' },
]

/**
 * Plays a trace on a fleet: without a cache of beginnings, with one and requests in turn, and with each request sent to where most of its
 * beginning is. The more replicas, the less of a beginning is where a request in turn comes to:
 *
 *     in turn      A₁ → 1   A₂ → 2   A₃ → 3   each reads all of A        by beginning   A₁ A₂ A₃ → 1   read once
 *
 * Undefined where the trace says nothing of how prompts begin, where nobody waits for answers, or where no replica holds any of them.
 */
export function cacheOf(
  trace: Trace,
  { unit, replicas, gpus }: CachedFleet,
  product: Product,
): CacheEffect | undefined {
  const isTold = trace.rows.some(({ blocks = [] }) => blocks.length > 0)
  if (product.goal === 'throughput' || !isTold) return undefined
  const { share = SHARE } = product
  const slice = sliceOf(trace, replicas)
  const look = lookerOf(slice.trace, unit, product)
  try {
    const ways = WAYS.map((way): CacheWay => {
      const seen = look(way, slice.replicas)
      const least = leastThatHolds(
        slice.replicas,
        (count) => (count === slice.replicas ? seen : look(way, count)).attainment >= share,
      )
      const needed = least && Math.ceil((least * replicas) / slice.replicas)
      return {
        ...way,
        ...seen,
        ...(needed !== undefined && { replicas: needed }),
        ...(needed !== undefined && gpus !== undefined && { gpus: needed * gpus }),
      }
    })
    const effect = {
      rows: slice.trace.rows.length,
      replicas,
      playedOn: slice.replicas,
      share,
      repeatedShare: repeatedShare(slice.trace),
      promptsCost: promptsCost(unit),
      ways,
    }
    return { ...effect, sentence: cacheSentence(effect, product, effect.rows < trace.rows.length) }
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'NEVER_FITS') return undefined
    throw error
  }
}

type Seen = Pick<CacheWay, 'cachedShare' | 'ttftMs' | 'attainment'>

function lookerOf(trace: Trace, unit: SimulatedUnit, product: Product): (way: Way, replicas: number) => Seen {
  const promptTokens = trace.rows.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0)
  const { tokensPerSecond, ttftMs } = product
  const blockTokens = blockOf(trace)
  return ({ cache, routing }, replicas) => {
    const fleet: Fleet = {
      ...unit,
      routing,
      pools: unit.pools.map((pool) => ({
        ...pool,
        replicas: pool.replicas * replicas,
        policy: {
          ...pool.policy,
          blockTokens: Math.min(blockTokens, pool.policy.kvTokens),
          prefixCache: cache && pool.role !== 'decode',
        },
      })),
    }
    const { latency, goodput, simulation, requests } = simulate({
      fleet,
      lanes: [{ name: product.name, priority: 0, source: createSource({ arrivals: { kind: 'trace', trace } }) }],
      load: { kind: 'trace', value: 1 },
      objectives: {
        ...(tokensPerSecond !== undefined && { tokensPerSecond }),
        ...(ttftMs !== undefined && { ttftMs }),
      },
    })
    return {
      cachedShare: (simulation?.cachedTokens ?? 0) / promptTokens,
      ttftMs: { p50: latency.ttftMs?.p50 ?? 0, p99: latency.ttftMs?.p99 ?? 0 },
      attainment: goodput?.attainment ?? requests.ok / requests.sent,
    }
  }
}

/** Large blocks are quicker to simulate; the trace's own are made of whole ones. */
function blockOf({ rows, blockTokens = 1 }: Trace): number {
  const tokens = rows.reduce((sum, { inputTokens = 0, outputTokens = 0 }) => sum + inputTokens + outputTokens, 0)
  const most = Math.max(1, tokens / rows.length / BLOCKS_OF_REQUEST)
  let block = blockTokens
  while (block > most && block % 2 === 0) block /= 2
  return block
}

/** By halves between fleets that do not and fleets that do. Undefined where none that was tried does. */
function leastThatHolds(replicas: number, holds: (replicas: number) => boolean): number | undefined {
  let low = 0
  let high: number | undefined
  let at = replicas
  for (let i = 0; i <= TRIES; i++) {
    if (holds(at)) high = at
    else low = at
    if (high === undefined && low >= MOST_TIMES * replicas) return undefined
    if (high !== undefined && high - low <= 1) return high
    at = high === undefined ? 2 * low : Math.floor((low + high) / 2)
  }
  return high
}

/** Whether a step takes longer for reading: where nobody knows, a cache shortens no wait. */
function promptsCost({ pools, entrySeconds }: SimulatedUnit): boolean {
  const step = { decoding: 1, decodeKvTokens: 1000, completing: 0, completingKvTokens: 0, prefillContextTokens: 0 }
  return (
    (entrySeconds?.(1000) ?? 0) > 0 ||
    pools.some(
      ({ stepTime }) =>
        stepTime.seconds({ ...step, prefillTokens: 1000 }) > stepTime.seconds({ ...step, prefillTokens: 0 }),
    )
  )
}

/** The tokens of all full blocks that have been there before, from the prompt's first on; one token of a prompt is always read. */
function repeatedShare({ rows, blockTokens = 0 }: Trace): number {
  const known = new Set<number>()
  let [repeated, all] = [0, 0]
  for (const { blocks = [], inputTokens = 0 } of rows) {
    const first = blocks.findIndex((block) => !known.has(block))
    repeated += Math.max(0, Math.min((first < 0 ? blocks.length : first) * blockTokens, inputTokens - 1))
    all += inputTokens
    for (const block of blocks) known.add(block)
  }
  return repeated / all
}
