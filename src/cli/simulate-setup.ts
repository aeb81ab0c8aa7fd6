import { type Hardware, type Load, type Objectives, RUN_SCHEMA, type RunHeader, TwospeedError } from '../core/index.ts'
import type { Catalogue } from '../model/index.ts'
import { hardwareOf, type Routing } from '../sim/index.ts'
import type { PoolFlags, SimulateFlags, WorkFlags } from './simulate-flags.ts'
import { linkPlan, poolPlan } from './simulate-fleet.ts'
import type { Job } from './simulate-job.ts'
import type { Asked } from './simulate-judge.ts'
import { type FileLane, type FilePool, readLanes } from './simulate-lanes.ts'
import { type AskedLoad, checkLoads, loadsOf } from './simulate-loads.ts'
import type { LanePlan, PoolPlan, SimulationPlan } from './simulate-plan.ts'
import { toldOf } from './simulate-told.ts'
import { tracePlan, workPlan } from './simulate-work.ts'
import { version } from './version.ts'

/** All that a simulation is, ready to be done. */
export interface SimulationSetup {
  readonly plan: SimulationPlan
  readonly jobs: readonly Job[]
  /** Of each job which repeat of its load it is; of one repeat nothing. */
  readonly repeats: readonly (number | undefined)[]
  readonly header: RunHeader
  /** Of a search. */
  readonly asked?: Asked
}

/** A lane before its load is looked at. */
interface Lane {
  readonly flags: Partial<FileLane>
  readonly plan: LanePlan
  readonly told: Readonly<Record<string, unknown>>
  readonly load?: AskedLoad
}

const DEFAULT_ROUTE: Routing = 'leastInFlight'
/** Repeats of a search, whose scatter says how sure its answer is. */
const FIND_REPEATS = 5

/** Reads and checks all that flags and files say. `say` is told what a person should know beforehand. */
export async function setUp(flags: SimulateFlags, say: (text: string) => void): Promise<SimulationSetup> {
  const file = flags.lanes === undefined ? undefined : readLanes(flags.lanes)
  const own =
    flags.catalogue === undefined ? undefined : (await import('./configuration.ts')).readCatalogue(flags.catalogue)
  const lanes = await lanesOf(flags, file?.lanes, say)
  const byPriority = new Set(lanes.map(({ plan }) => plan.priority)).size > 1
  const pools = await poolsOf(flags, file?.pools ?? [], byPriority, own)
  const [reader, writer] = [pools.find(({ role }) => role === 'prefill'), pools.find(({ role }) => role === 'decode')]
  const link = reader === undefined || writer === undefined ? undefined : await linkPlan(reader, writer, flags)
  const objectives = objectivesOf(flags)
  const hardware: Hardware = {
    ...hardwareOf({ pools }),
    ...(flags.gpu !== undefined && { name: flags.gpu }),
  }
  const plan: SimulationPlan = {
    pools,
    fleet: {
      routing: flags.route ?? DEFAULT_ROUTE,
      ...(flags.loadGuard !== undefined && { loadGuard: flags.loadGuard }),
      ...(link !== undefined && { link }),
    },
    lanes: lanes.map((lane) => lane.plan),
    hardware,
    ...(objectives !== undefined && { objectives }),
    ...windowOf(flags, lanes),
    ...(flags.streamInterval !== undefined && { streamInterval: flags.streamInterval }),
  }
  const told = { ...toldOf(flags, plan), ...(lanes.length === 1 ? lanes[0]?.told : lanesTold(lanes)) }
  const asked = askedOf(flags, objectives, lanes)
  return {
    plan,
    ...jobsOf(flags, lanes, asked),
    header: headerOf(flags, file?.pools ?? [], plan, told),
    ...(asked !== undefined && { asked }),
  }
}

function headerOf(
  flags: SimulateFlags,
  pools: readonly FilePool[],
  plan: SimulationPlan,
  workload: RunHeader['workload'],
): RunHeader {
  const timedBy = pools.length > 0 ? pools : [flags]
  const names = timedBy.map(({ model, law }) => model ?? (law === undefined ? undefined : `the law ${law}`))
  const model = [...new Set(names.map((name) => name ?? flags.model ?? `the law ${flags.law}`))].join(', ')
  return {
    schema: RUN_SCHEMA,
    createdAt: new Date().toISOString(),
    twospeed: version,
    target: { url: 'a fleet that is simulated', model, engine: 'simulated' },
    hardware: plan.hardware,
    workload,
    ...(plan.objectives !== undefined && { objectives: plan.objectives }),
    points: [],
  }
}

function objectivesOf({ floor, ttft }: Pick<SimulateFlags, 'floor' | 'ttft'>): Objectives | undefined {
  if (floor === undefined && ttft === undefined) return undefined
  return { ...(floor !== undefined && { tokensPerSecond: floor }), ...(ttft !== undefined && { ttftMs: 1000 * ttft }) }
}

/** A trace is cut to its requests or its time before it is played; a curve is looked at for one period where nothing is said. */
function windowOf(flags: SimulateFlags, lanes: readonly Lane[]): Pick<SimulationPlan, 'requests' | 'durationS'> {
  const { requests, duration } = flags
  if (requests !== undefined) return { requests }
  if (duration !== undefined) return { durationS: duration }
  const [period] = lanes.flatMap(({ load }) => (load?.arrivals.kind === 'curve' ? load.arrivals.points.slice(-1) : []))
  return period === undefined ? {} : { durationS: period.atS }
}

/** The flags that a lanes file says of each lane by itself. */
const OF_LANES = ['concurrency', 'rate', 'curve', 'trace', 'find'] as const

async function lanesOf(
  flags: SimulateFlags,
  file: readonly FileLane[] | undefined,
  say: (text: string) => void,
): Promise<readonly Lane[]> {
  if (file === undefined) {
    await checkLoads(flags.find === true && isOpenFind(flags) ? { ...flags, rate: flags.rate ?? [1] } : flags)
    return [await laneOf({ ...flags, name: 'all' } as FileLane, flags, say, false)]
  }
  const open = file.filter((lane) => OF_LANES.every((key) => key === 'find' || lane[key] === undefined))
  if (open.length > 1) {
    throw new TwospeedError(
      'MISSING_VALUE',
      `--lanes ${flags.lanes}: ${open.map(({ name }) => name).join(' and ')} have no load, and the flags can give it to one of them.`,
      'Give each lane but one its concurrency, rate, curve or trace.',
    )
  }
  const given = OF_LANES.filter((key) => flags[key] !== undefined)
  if (open.length === 0 && given.length > 0) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--${given.join(' and --')} is a load, and each lane of ${flags.lanes} has one.`,
      'Leave it out, or leave one lane without a load: it takes that of the flags.',
    )
  }
  const lanes: Lane[] = []
  for (const lane of file) {
    const isOpen = open.includes(lane)
    const asked = isOpen ? { ...flags, ...lane } : lane
    await checkLoads(asked)
    lanes.push(await laneOf({ ...workFlagsOf(flags), ...asked, name: lane.name } as FileLane, flags, say, !isOpen))
  }
  return lanes
}

function workFlagsOf(flags: SimulateFlags): Partial<FileLane> {
  const { inputTokens, outputTokens } = flags
  return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) }
}

async function laneOf(
  lane: FileLane,
  { requests, duration }: SimulateFlags,
  say: (text: string) => void,
  isFixed: boolean,
): Promise<Lane> {
  const { name, priority = 0, pools, think, trace, speedup } = lane
  const objectives = isFixed ? objectivesOf(lane) : undefined
  const named = {
    name,
    priority,
    ...(pools !== undefined && { pools }),
    ...(objectives !== undefined && { objectives }),
    ...(think !== undefined && { think }),
  }
  if (trace !== undefined) {
    await refuseWork(lane)
    const cut = { ...(requests !== undefined && { requests }), ...(duration !== undefined && { durationS: duration }) }
    const played = await tracePlan({ trace, ...(speedup !== undefined && { speedup }), ...cut }, say)
    const load: AskedLoad = { load: { kind: 'trace', value: speedup ?? 1 }, arrivals: played.arrivals }
    const work = { input: { kind: 'fixed', tokens: 1 }, output: { kind: 'fixed', tokens: 1 } } as const
    return { flags: lane, plan: { ...named, work, arrivals: played.arrivals }, told: played.told, load }
  }
  const { work, told } = await workPlan(workOf(lane))
  const [load] = isFixed || lane.curve !== undefined ? loadsOf(lane) : []
  const plan = { ...named, work, ...(load !== undefined && { arrivals: load.arrivals }) }
  return { flags: lane, plan, told, ...(load !== undefined && { load }) }
}

function workOf(lane: FileLane): Omit<WorkFlags, 'think'> {
  const keys = ['inputTokens', 'outputTokens', 'lengths', 'prefixShare', 'prefixes', 'turns'] as const
  return Object.fromEntries(keys.flatMap((key) => (lane[key] === undefined ? [] : [[key, lane[key]]])))
}

/** A trace says of each request what is in it. */
async function refuseWork(lane: FileLane): Promise<void> {
  const { checkWork } = await import('../load/index.ts')
  checkWork({ url: '', trace: { path: lane.trace ?? '' }, ...workOf(lane) })
}

function lanesTold(lanes: readonly Lane[]): Readonly<Record<string, unknown>> {
  return {
    lanes: lanes.map(({ plan, told, load }) => ({ name: plan.name, ...told, ...(load && { load: load.load }) })),
  }
}

async function poolsOf(
  flags: SimulateFlags,
  file: readonly FilePool[],
  byPriority: boolean,
  own?: Catalogue,
): Promise<readonly PoolPlan[]> {
  const { prefill, decode } = flags
  if (file.length > 0) {
    const made: PoolPlan[] = []
    for (const { name, role = 'both', gpus, ...pool } of file) {
      const timed = pool.law !== undefined || pool.model !== undefined ? { law: undefined, model: undefined } : {}
      const both = Object.fromEntries(
        Object.entries({ ...poolFlagsOf(flags), ...timed, ...pool }).filter(([, value]) => value !== undefined),
      ) as PoolFlags
      made.push(await poolPlan({ name, role, flags: both, byPriority, ...(gpus !== undefined && { gpus }) }, own))
    }
    return made
  }
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
  if (gpus === undefined || gpus === pool.replicas * (pool.gpusPerReplica ?? 0)) return [pool]
  throw new TwospeedError(
    'CONFLICTING_FLAGS',
    `--gpus ${gpus}, but --tp, --pp, --dp and --replicas make ${pool.replicas * (pool.gpusPerReplica ?? 0)}.`,
    'Leave it out.',
  )
}

/** As of `predict`: instances × TP. Of a law the second number is the GPUs of an instance. */
async function splitPools(flags: SimulateFlags, byPriority: boolean, own?: Catalogue): Promise<readonly PoolPlan[]> {
  const { parsePool } = await import('../model/index.ts')
  const made: PoolPlan[] = []
  for (const role of ['prefill', 'decode'] as const) {
    const { count, tp, pp = 1, ep = 1, dp = 1 } = parsePool(`--${role}`, flags[role] ?? '')
    const shared = { ...poolFlagsOf(flags), replicas: count, dp }
    const gpus = tp * pp * dp
    const laid = flags.law === undefined ? { ...shared, tp, pp, ep } : shared
    made.push(
      await poolPlan({ name: role, role, flags: laid, byPriority, ...(flags.law !== undefined && { gpus }) }, own),
    )
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

/** A rate, unless users are spoken of. */
export const isOpenFind = ({ concurrency, think }: SimulateFlags): boolean =>
  concurrency === undefined && think === undefined

const RATES = { least: 1e-4, most: 1e6 } as const
const MOST_USERS = 1e6

function jobsOf(
  flags: SimulateFlags,
  lanes: readonly Lane[],
  asked: Asked | undefined,
): Pick<SimulationSetup, 'jobs' | 'repeats'> {
  const { seed = 0, rate, concurrency } = flags
  const open = lanes.find(({ load }) => load === undefined)
  if (asked !== undefined) {
    const by = isOpenFind(flags) ? 'rate' : 'concurrency'
    const range =
      by === 'rate'
        ? { ...RATES, start: rate?.[0] ?? 1, isWhole: false }
        : { start: concurrency?.[0] ?? 8, least: 1, most: MOST_USERS, isWhole: true }
    const job = { kind: 'find', by, range, asked, flags: loadFlagsOf(flags) } as const
    const count = flags.repeat ?? FIND_REPEATS
    return {
      jobs: Array.from({ length: count }, (_, i): Job => ({ ...job, seed: `${seed}/${i}` })),
      repeats: Array.from({ length: count }, () => undefined),
    }
  }
  const loads: readonly Partial<AskedLoad>[] =
    open === undefined ? lanes.slice(0, 1).map(({ load }) => load ?? {}) : loadsOf(flags)
  if (loads.length === 0) {
    throw new TwospeedError(
      'MISSING_VALUE',
      `Nothing says how many requests come${lanes.length > 1 ? ` in lane ${open?.plan.name}` : ''}.`,
      'Give --concurrency 1,2,4, --rate 5/s, --curve, --trace FILE, or --find.',
    )
  }
  const { repeat = 1 } = flags
  const points = Array.from({ length: repeat * loads.length }, (_, point) => point)
  return {
    jobs: points.map((point): Job => {
      const { load, arrivals } = loads[point % loads.length] ?? {}
      const task = { load: load as Load, point, seed: `${seed}/${point}` }
      return { kind: 'point', task: { ...task, ...(open !== undefined && arrivals !== undefined && { arrivals }) } }
    }),
    repeats: points.map((point) => (repeat === 1 ? undefined : Math.floor(point / loads.length))),
  }
}

/** What a search is to hold, where there is one. */
function askedOf(
  { find, share, rate, concurrency, curve, trace, lanes: file }: SimulateFlags,
  objectives: Objectives | undefined,
  lanes: readonly Lane[],
): Asked | undefined {
  const problems = [
    find !== true && share !== undefined && '--share is of a --find',
    find === true &&
      objectives === undefined &&
      lanes.every(({ plan }) => plan.objectives === undefined) &&
      '--find needs to know what to hold: --floor, --ttft, or those of a lane',
    find === true &&
      (curve ?? trace) !== undefined &&
      '--find looks for a rate or for users, and a curve or a trace is neither',
    find === true &&
      (rate?.length ?? concurrency?.length ?? 1) > 1 &&
      '--find begins at one load, and several are given',
    find === true && lanes.every(({ load }) => load !== undefined) && `--find needs a lane of ${file} that has no load`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0)
    throw new TwospeedError('CONFLICTING_FLAGS', `${problems.join('; ')}.`, 'See twospeed simulate --help.')
  if (find !== true) return undefined
  return { ...(objectives !== undefined && { objectives }), ...(share !== undefined && { share }) }
}

function loadFlagsOf({ arrivalProcess, burstiness, ramp, think }: SimulateFlags): Parameters<typeof loadsOf>[0] {
  return {
    ...(arrivalProcess !== undefined && { arrivalProcess }),
    ...(burstiness !== undefined && { burstiness }),
    ...(ramp !== undefined && { ramp }),
    ...(think !== undefined && { think }),
  }
}
