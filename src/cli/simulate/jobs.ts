import { type Load, type Objectives, TwospeedError } from '../../core/index.ts'
import type { SimulateFlags } from './flags.ts'
import type { Job } from './job.ts'
import type { Asked } from './judge.ts'
import { isOpenFind, type ReadLane } from './lane-plans.ts'
import { type LoadFlags, loadsOf } from './loads.ts'

export interface Jobs {
  readonly jobs: readonly Job[]
  /** Of each job which repeat of its load it is; of one repeat nothing. */
  readonly repeats: readonly (number | undefined)[]
}

/** Repeats of a search, whose scatter says how sure its answer is. */
const FIND_REPEATS = 5
const RATES = { least: 1e-4, most: 1e6, isWhole: false } as const
const USERS = { least: 1, most: 1e6, isWhole: true } as const

/** A search for each seed, or a point for each load and repeat, in rounds as `measure` has them. */
export function jobsOf(flags: SimulateFlags, lanes: readonly ReadLane[], asked: Asked | undefined): Jobs {
  return asked === undefined ? pointJobs(flags, lanes) : findJobs(flags, asked)
}

function findJobs(flags: SimulateFlags, asked: Asked): Jobs {
  const { seed = 0, rate, concurrency, repeat = FIND_REPEATS } = flags
  const how = isOpenFind(flags)
    ? ({ by: 'rate', range: { ...RATES, start: rate?.[0] ?? 1 } } as const)
    : ({ by: 'concurrency', range: { ...USERS, start: concurrency?.[0] ?? 8 } } as const)
  const seeds = Array.from({ length: repeat }, (_, i) => `${seed}/${i}`)
  return {
    jobs: seeds.map((own): Job => ({ kind: 'find', ...how, asked, flags: loadFlagsOf(flags), seed: own })),
    repeats: seeds.map(() => undefined),
  }
}

function pointJobs(flags: SimulateFlags, lanes: readonly ReadLane[]): Jobs {
  const { seed = 0, repeat = 1 } = flags
  const open = lanes.find(({ load }) => load === undefined)
  const loads = open === undefined ? lanes.slice(0, 1).flatMap(({ load }) => load ?? []) : loadsOf(flags)
  if (loads.length === 0) {
    throw new TwospeedError(
      'MISSING_VALUE',
      `Nothing says how many requests come${lanes.length > 1 ? ` in lane ${open?.plan.name}` : ''}.`,
      'Give --concurrency 1,2,4, --rate 5/s, --curve, --trace FILE, or --find.',
    )
  }
  const rounds = Array.from({ length: repeat }, (_, round) => loads.map((asked, i) => ({ ...asked, round, i })))
  const points = rounds.flat()
  return {
    jobs: points.map(({ load, arrivals }, point): Job => {
      const task = { load: together(load, lanes, open), point, seed: `${seed}/${point}` }
      return { kind: 'point', task: open === undefined ? task : { ...task, arrivals } }
    }),
    repeats: points.map(({ round }) => (repeat === 1 ? undefined : round)),
  }
}

/** What all lanes bring: their rates or their users as one, and beside rates the users. A trace stays itself: everything counts of it. */
function together(load: Load, lanes: readonly ReadLane[], open: ReadLane | undefined): Load {
  const all = lanes.flatMap((lane) => (lane === open ? load : (lane.load?.load ?? [])))
  if (all.length === 1 || all.some(({ kind }) => kind === 'trace')) return load
  const sumOf = (kind: Load['kind']): number =>
    all.reduce((sum, each) => sum + (each.kind === kind ? each.value : 0), 0)
  const [rate, users] = [sumOf('rate'), sumOf('concurrency')]
  if (rate > 0) return { kind: 'rate', value: rate, ...(users > 0 && { users }) }
  const isAlike = all.every(({ thinkS }) => thinkS === load.thinkS)
  return { kind: 'concurrency', value: users, ...(isAlike && load.thinkS !== undefined && { thinkS: load.thinkS }) }
}

/** What a search is to hold, where there is one. Throws CONFLICTING_FLAGS with all that means nothing. */
export function askedOf(
  flags: SimulateFlags,
  objectives: Objectives | undefined,
  lanes: readonly ReadLane[],
): Asked | undefined {
  const { find, share, rate, concurrency, curve, trace } = flags
  const isAimless = objectives === undefined && lanes.every(({ plan }) => plan.objectives === undefined)
  const isShaped = (curve ?? trace) !== undefined
  const problems = [
    isAimless &&
      share !== undefined &&
      '--share is the share of requests that must hold something: --floor, --ttft, or those of a lane',
    find === true && isAimless && '--find needs to know what to hold: --floor, --ttft, or those of a lane',
    find === true &&
      isShaped &&
      '--find looks for a rate (--rate) or for users (--concurrency), and a curve or a trace is neither',
    find === true && (rate ?? concurrency ?? []).length > 1 && '--find begins at one load, and several are given',
    find === true &&
      !isShaped &&
      lanes.every(({ load }) => load !== undefined) &&
      `--find needs a lane of ${flags.lanes} that has no load`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) {
    throw new TwospeedError('CONFLICTING_FLAGS', `${problems.join('; ')}.`, 'See twospeed simulate --help.')
  }
  if (find !== true) return undefined
  return { ...(objectives !== undefined && { objectives }), ...(share !== undefined && { share }) }
}

function loadFlagsOf({ arrivalProcess, burstiness, ramp, think }: SimulateFlags): LoadFlags {
  return {
    ...(arrivalProcess !== undefined && { arrivalProcess }),
    ...(burstiness !== undefined && { burstiness }),
    ...(ramp !== undefined && { ramp }),
    ...(think !== undefined && { think }),
  }
}
