import { type Objectives, TwospeedError } from '../../core/index.ts'
import type { SimulateFlags, WorkFlags } from './flags.ts'
import { flagOf } from './fleet.ts'
import type { FileLane } from './lanes.ts'
import { type AskedLoad, checkLoads, type LoadFlags, loadsOf } from './loads.ts'
import type { LanePlan } from './plan.ts'
import { tracePlan, workPlan } from './work.ts'

/** A lane, read and checked. */
export interface ReadLane {
  readonly plan: LanePlan
  /** As `run.json` says what was asked. */
  readonly told: Readonly<Record<string, unknown>>
  /** Its own; absent of the lane that takes the loads of the flags, one after the other. */
  readonly load?: AskedLoad
}

type Say = (text: string) => void

/** What a lane asks for beside its name. */
type Asked = WorkFlags & LoadFlags & Pick<FileLane, 'pools' | 'priority'>

/** The lane that the flags say, or those of a file, of which one may take its load from the flags. */
export async function readLanePlans(
  flags: SimulateFlags,
  file: readonly FileLane[] | undefined,
  say: Say,
): Promise<readonly ReadLane[]> {
  if (file === undefined) {
    // A rate that is looked for is one as far as other flags go.
    const isRateFind = flags.find === true && isOpenFind(flags) && (flags.curve ?? flags.trace) === undefined
    await checkLoads(isRateFind ? { ...flags, rate: flags.rate ?? [1] } : flags)
    return [await readLane('all', flags, flags, say, true)]
  }
  const open = openLane(flags, file)
  refuseIgnored(flags, file, open)
  const lanes: ReadLane[] = []
  for (const lane of file) {
    const { inputTokens, outputTokens } = flags
    const lengths = {
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
    }
    const isLong = lane.trace === undefined && lane.lengths === undefined
    const asked: Asked = lane === open ? { ...flags, ...lane } : { ...(isLong && lengths), ...lane }
    await checkLoads(asked)
    const read = await readLane(lane.name, asked, flags, say, lane === open)
    const objectives = objectivesOf(lane)
    lanes.push(objectives === undefined ? read : { ...read, plan: { ...read.plan, objectives } })
  }
  return lanes
}

const LOADS = ['concurrency', 'rate', 'curve', 'trace'] as const

function openLane(flags: SimulateFlags, file: readonly FileLane[]): FileLane | undefined {
  const [open, ...others] = file.filter((lane) => LOADS.every((key) => lane[key] === undefined))
  if (others.length > 0) {
    const names = [open, ...others].map((lane) => lane?.name).join(' and ')
    throw new TwospeedError(
      'MISSING_VALUE',
      `--lanes ${flags.lanes}: ${names} have no load, and the flags can give it to one of them.`,
      'Give each lane but one its concurrency, rate, curve or trace.',
    )
  }
  const given = LOADS.filter((key) => flags[key] !== undefined)
  if (open === undefined && given.length > 0) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--${given.join(' and --')} is a load, and each lane of ${flags.lanes} has one.`,
      'Leave it out, or leave one lane without a load: it takes that of the flags.',
    )
  }
  return open
}

const OF_OPEN = [
  'lengths',
  'prefixShare',
  'prefixes',
  'turns',
  'think',
  'speedup',
  'arrivalProcess',
  'burstiness',
  'ramp',
] as const

/** Lengths are for the lanes that have none, all else for the one without a load. */
function refuseIgnored(flags: SimulateFlags, file: readonly FileLane[], open: FileLane | undefined): void {
  const lengths = (['inputTokens', 'outputTokens'] as const).filter((key) =>
    file.every((lane) => lane[key] !== undefined || lane.trace !== undefined || lane.lengths !== undefined),
  )
  const ignored = [...lengths, ...OF_OPEN.filter((key) => open === undefined || open[key] !== undefined)]
  const given = ignored.filter((key) => flags[key] !== undefined)
  if (given.length === 0) return
  throw new TwospeedError(
    'CONFLICTING_FLAGS',
    `${given.map(flagOf).join(', ')}: each lane of ${flags.lanes} says its own, or has no use for it.`,
    'Leave it out, or write it into the lanes that it is for.',
  )
}

export function objectivesOf({ floor, ttft }: Pick<SimulateFlags, 'floor' | 'ttft'>): Objectives | undefined {
  if (floor === undefined && ttft === undefined) return undefined
  return { ...(floor !== undefined && { tokensPerSecond: floor }), ...(ttft !== undefined && { ttftMs: 1000 * ttft }) }
}

/** A search looks for a rate, unless users are spoken of. */
export const isOpenFind = ({ concurrency, think }: Pick<SimulateFlags, 'concurrency' | 'think'>): boolean =>
  concurrency === undefined && think === undefined

/** Of a trace no lengths are drawn. */
const NO_WORK = { input: { kind: 'fixed', tokens: 1 }, output: { kind: 'fixed', tokens: 1 } } as const

async function readLane(
  name: string,
  asked: Asked,
  { requests, duration }: SimulateFlags,
  say: Say,
  isOpen: boolean,
): Promise<ReadLane> {
  const { priority = 0, pools, think, trace, speedup, curve } = asked
  const named = { name, priority, ...(pools !== undefined && { pools }), ...(think !== undefined && { think }) }
  if (trace !== undefined) {
    const { checkWork } = await import('../../load/index.ts')
    checkWork({ url: '', trace: { path: trace }, ...workOf(asked) })
    const cut = { ...(requests !== undefined && { requests }), ...(duration !== undefined && { durationS: duration }) }
    const { arrivals, told } = await tracePlan({ trace, ...(speedup !== undefined && { speedup }), ...cut }, say)
    const load = { load: { kind: 'trace' as const, value: speedup ?? 1 }, arrivals }
    return { plan: { ...named, work: NO_WORK, arrivals }, told, load }
  }
  const { work, told } = await workPlan(workOf(asked))
  const [load] = !isOpen || curve !== undefined ? loadsOf(asked) : []
  if (load === undefined) return { plan: { ...named, work }, told }
  return { plan: { ...named, work, arrivals: load.arrivals }, told, load }
}

const WORK = ['inputTokens', 'outputTokens', 'lengths', 'prefixShare', 'prefixes', 'turns'] as const

const workOf = (asked: Asked): Omit<WorkFlags, 'think'> =>
  Object.fromEntries(WORK.flatMap((key) => (asked[key] === undefined ? [] : [[key, asked[key]]])))
