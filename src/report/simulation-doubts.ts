import type { Confidence, Run } from '../core/index.ts'
import { trustSentence } from './prediction-text.ts'
import { isOfSimulator } from './simulated.ts'

/** What a reader must know of what was put into a simulation, each a sentence. */
export function simulationDoubts(run: Pick<Run, 'points' | 'workload' | 'objectives'>): readonly string[] {
  if (!isOfSimulator(run)) return []
  const pools = poolsOf(run.workload)
  return [...freePrompts(pools, run), ...trust(pools), ...nothingShared(pools, run)]
}

/** What `run.json` says of a pool, and of a lane. */
interface ToldPool {
  readonly name?: unknown
  readonly role?: unknown
  readonly law?: Readonly<Record<string, unknown>>
  readonly confidence?: Confidence
  readonly policy?: { readonly prefixCache?: unknown }
}
interface ToldLane {
  readonly prefixShare?: unknown
  readonly turns?: unknown
  readonly trace?: { readonly hasBlocks?: unknown }
}

function poolsOf({ fleet }: Run['workload']): readonly ToldPool[] {
  const { pools } = (fleet ?? {}) as { readonly pools?: unknown }
  return Array.isArray(pools) ? pools : []
}

const lanesOf = ({ lanes, ...own }: Run['workload']): readonly ToldLane[] => (Array.isArray(lanes) ? lanes : [own])

/** A law fitted to the pace of streams has no term for prompts, and a wait of nothing looks like a good one. */
function freePrompts(pools: readonly ToldPool[], { points, objectives }: Pick<Run, 'points' | 'objectives'>): string[] {
  const free = pools.filter(
    ({ role, law }) => law !== undefined && role !== 'decode' && !((law.perPrefillTokenS as number) > 0),
  )
  if (free.length === 0) return []
  const who = pools.length > 1 ? `The law of ${free.map(({ name }) => name).join(', ')}` : 'This law'
  const ofLanes = points.flatMap(({ simulation }) => simulation?.lanes?.map((lane) => lane.objectives) ?? [])
  const isAsked = [objectives, ...ofLanes].some((each) => each?.ttftMs !== undefined)
  const loud = isAsked ? ' A limit on the wait for a first token is judged by that: do not trust that it is held.' : ''
  return [
    `${who} has no term for prompts (d): they are read in no time, so TTFT is of waiting and of one step alone.${loud}`,
  ]
}

/** Step times from datasheets are as far off as those of `predict`; of several the least sure. */
function trust(pools: readonly ToldPool[]): string[] {
  const known = pools.flatMap(({ confidence }) => confidence ?? [])
  const [first, ...others] = known
  if (first === undefined) return []
  const widest = others.reduce((most, one) => (one.high / one.low > most.high / most.low ? one : most), first)
  return [
    `${trustSentence(widest, 'step times are ')} What stands behind ± is the scatter of the simulation alone, not this.`,
  ]
}

function nothingShared(pools: readonly ToldPool[], { workload }: Pick<Run, 'workload'>): string[] {
  if (!pools.some(({ policy }) => policy?.prefixCache === true)) return []
  const why = lanesOf(workload).map(({ prefixShare, turns, trace }) => {
    if ((prefixShare ?? turns) !== undefined || (trace !== undefined && trace.hasBlocks !== false)) return undefined
    return trace === undefined
      ? 'no two prompts of this load begin alike (--prefix-share and --turns make such)'
      : 'the trace has no block ids'
  })
  if (why.length === 0 || why.includes(undefined)) return []
  return [`The prefix cache has nothing to share: ${[...new Set(why)].join(', and ')}.`]
}
