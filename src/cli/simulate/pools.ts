import { TwospeedError } from '../../core/index.ts'
import type { Catalogue } from '../../model/index.ts'
import type { PoolFlags, SimulateFlags } from './flags.ts'
import { flagOf, poolPlan } from './fleet.ts'
import type { FilePool } from './lanes.ts'
import type { PoolPlan } from './plan.ts'

/** The pools of a file, each with the flags for what it does not say; else the one, or the two that are split, which the flags say. */
export async function poolsOf(
  flags: SimulateFlags,
  file: readonly FilePool[],
  byPriority: boolean,
  own?: Catalogue,
): Promise<readonly PoolPlan[]> {
  const { prefill, decode } = flags
  if (file.length > 0) return filePools(flags, file, byPriority, own)
  if (prefill !== undefined || decode !== undefined) return splitPools(flags, byPriority, own)
  const { gpus, replicas = 1 } = flags
  if (gpus !== undefined && gpus % replicas !== 0) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--gpus ${gpus} are of ${replicas} replicas, and each has as many.`,
      'Give a multiple of --replicas.',
    )
  }
  const named = { name: 'all', role: 'both', flags: poolFlagsOf(flags), byPriority } as const
  const pool = await poolPlan({ ...named, ...(gpus !== undefined && { gpus: gpus / replicas }) }, own)
  const made = pool.replicas * (pool.gpusPerReplica ?? 0)
  if (gpus === undefined || gpus === made) return [pool]
  throw new TwospeedError(
    'CONFLICTING_FLAGS',
    `--gpus ${gpus}, but --tp, --pp, --dp and --replicas make ${made}.`,
    'Leave it out.',
  )
}

async function filePools(
  flags: SimulateFlags,
  file: readonly FilePool[],
  byPriority: boolean,
  own?: Catalogue,
): Promise<readonly PoolPlan[]> {
  refuseIgnored(flags, file)
  const made: PoolPlan[] = []
  for (const { name, role = 'both', gpus, ...pool } of file) {
    const { law, model, ...shared } = poolFlagsOf(flags)
    const timed = { ...(law !== undefined && { law }), ...(model !== undefined && { model }) }
    const all = { ...shared, ...(!isTimed(pool) && timed), ...pool }
    made.push(await poolPlan({ name, role, flags: all, byPriority, ...(gpus !== undefined && { gpus }) }, own))
  }
  return made
}

const isTimed = ({ law, model }: PoolFlags): boolean => law !== undefined || model !== undefined

/** A flag is for the pools that do not say it themselves; where each does, it would mean nothing. */
function refuseIgnored(flags: SimulateFlags, file: readonly FilePool[]): void {
  const ignored = POOL_FLAGS.filter((key) => {
    if (flags[key] === undefined) return false
    return file.every((pool) => (key === 'law' || key === 'model' ? isTimed(pool) : pool[key] !== undefined))
  })
  const isSplit = file.some(({ role }) => role === 'prefill')
  const ofLink = (['link', 'linkConcurrency', 'kvBytes'] as const).filter((key) => !isSplit && flags[key] !== undefined)
  const problems = [
    ignored.length > 0 && `${ignored.map(flagOf).join(', ')}: each pool of ${flags.lanes} says its own`,
    flags.gpus !== undefined && `--gpus: the pools of ${flags.lanes} say their own`,
    ofLink.length > 0 && `${ofLink.map(flagOf).join(', ')}: no pool of ${flags.lanes} has the role prefill`,
  ].filter((problem) => problem !== false)
  if (problems.length === 0) return
  throw new TwospeedError('CONFLICTING_FLAGS', `${problems.join('; ')}.`, 'Leave it out, or take it out of the file.')
}

/** As of `predict`: instances × TP. Of a law the second number is the GPUs of an instance. */
async function splitPools(flags: SimulateFlags, byPriority: boolean, own?: Catalogue): Promise<readonly PoolPlan[]> {
  const { parsePool } = await import('../../model/index.ts')
  const made: PoolPlan[] = []
  for (const role of ['prefill', 'decode'] as const) {
    const { count, tp, pp = 1, ep = 1, dp = 1 } = parsePool(`--${role}`, flags[role] ?? '')
    const shared = { ...poolFlagsOf(flags), replicas: count, dp }
    const named = { name: role, role, byPriority }
    const pool =
      flags.law === undefined
        ? { ...named, flags: { ...shared, tp, pp, ep } }
        : { ...named, flags: shared, gpus: tp * pp * dp }
    made.push(await poolPlan(pool, own))
  }
  return made
}

const POOL_FLAGS = [
  'law',
  'model',
  'gpu',
  'tp',
  'pp',
  'ep',
  'dp',
  'precision',
  'kvPrecision',
  'replicas',
  'maxNumSeqs',
  'maxBatchedTokens',
  'kvTokens',
  'blockTokens',
  'prefillFirst',
  'reserve',
  'wholePrompt',
  'asyncScheduling',
  'prefixCache',
] as const satisfies readonly (keyof PoolFlags)[]

const poolFlagsOf = (flags: PoolFlags): PoolFlags =>
  Object.fromEntries(POOL_FLAGS.flatMap((key) => (flags[key] === undefined ? [] : [[key, flags[key]]])))
