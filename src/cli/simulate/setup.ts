import { type Hardware, hardwareOf, RUN_SCHEMA, type RunHeader } from '../../core/index.ts'
import type { Routing } from '../../sim/index.ts'
import { version } from '../version.ts'
import type { SimulateFlags } from './flags.ts'
import { linkPlan } from './fleet.ts'
import { askedOf, type Jobs, jobsOf } from './jobs.ts'
import type { Asked } from './judge.ts'
import { objectivesOf, type ReadLane, readLanePlans } from './lane-plans.ts'
import { type FilePool, readLanes } from './lanes.ts'
import type { SimulationPlan } from './plan.ts'
import { poolsOf } from './pools.ts'
import { toldOf } from './told.ts'

/** All that a simulation is, ready to be done. */
export interface SimulationSetup extends Jobs {
  readonly plan: SimulationPlan
  readonly header: RunHeader
  /** Of a search. */
  readonly asked?: Asked
}

const DEFAULT_ROUTE: Routing = 'leastInFlight'

/** Reads and checks all that flags and files say. `say` is told what a person should know beforehand. */
export async function setUp(flags: SimulateFlags, say: (text: string) => void): Promise<SimulationSetup> {
  const file = flags.lanes === undefined ? undefined : readLanes(flags.lanes)
  const { readCatalogue } = await import('../configuration.ts')
  const own = flags.catalogue === undefined ? undefined : readCatalogue(flags.catalogue)
  const lanes = await readLanePlans(flags, file?.lanes, say)
  const byPriority = new Set(lanes.map((lane) => lane.plan.priority)).size > 1
  const pools = await poolsOf(flags, file?.pools ?? [], byPriority, own)
  const [reader, writer] = [pools.find(({ role }) => role === 'prefill'), pools.find(({ role }) => role === 'decode')]
  const link = reader === undefined || writer === undefined ? undefined : await linkPlan(reader, writer, flags)
  const objectives = objectivesOf(flags)
  const hardware: Hardware = { ...hardwareOf(pools), ...(flags.gpu !== undefined && { name: flags.gpu }) }
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
  const asked = askedOf(flags, objectives, lanes)
  const [lane, ...others] = lanes
  const told = others.length === 0 ? lane?.told : { lanes: lanes.map(laneTold) }
  return {
    plan,
    ...jobsOf(flags, lanes, asked),
    header: headerOf(flags, file?.pools ?? [], plan, { ...toldOf(flags, plan), ...told }),
    ...(asked !== undefined && { asked }),
  }
}

const laneTold = ({ plan, told, load }: ReadLane): unknown => ({
  name: plan.name,
  priority: plan.priority,
  ...(plan.pools !== undefined && { pools: plan.pools }),
  ...told,
  ...(load !== undefined && { load: load.load }),
})

function headerOf(
  flags: SimulateFlags,
  pools: readonly FilePool[],
  { hardware, objectives }: SimulationPlan,
  workload: RunHeader['workload'],
): RunHeader {
  const named = pools.length === 0 ? [flags] : pools
  const models = named.map((pool) => pool.model ?? lawName(pool.law) ?? flags.model ?? lawName(flags.law) ?? '')
  return {
    schema: RUN_SCHEMA,
    createdAt: new Date().toISOString(),
    twospeed: version,
    target: { url: 'a fleet that is simulated', model: [...new Set(models)].join(', '), engine: 'simulated' },
    hardware,
    workload,
    ...(objectives !== undefined && { objectives }),
    points: [],
  }
}

const lawName = (law: string | undefined): string | undefined => law && `the law ${law}`

/** A curve is looked at for one period where nothing else is said. */
function windowOf(
  { requests, duration }: SimulateFlags,
  lanes: readonly ReadLane[],
): Pick<SimulationPlan, 'requests' | 'durationS'> {
  if (requests !== undefined) return { requests }
  if (duration !== undefined) return { durationS: duration }
  const [last] = lanes.flatMap(({ plan }) => (plan.arrivals?.kind === 'curve' ? plan.arrivals.points.slice(-1) : []))
  return last === undefined ? {} : { durationS: last.atS }
}
