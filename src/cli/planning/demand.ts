import { type Product, type ProductWork, type Trace, TwospeedError } from '../../core/index.ts'
import type { AskedProduct, DaySource, Demand } from '../../plan/index.ts'
import type { CurvePoint } from '../../sim/index.ts'
import { given } from '../given.ts'
import { distributionsOf, lengthsOf } from './lengths.ts'
import type { PlannedProduct } from './product-file.ts'
import type { SourceFlags } from './source-flags.ts'

/** What a fleet is planned for. */
export interface DemandFlags extends SourceFlags {
  /** Per second. */
  readonly arrivals?: number
  readonly users?: number
  /** Seconds, in the mean. */
  readonly think?: number
  readonly trace?: string
  readonly speedup?: number
  readonly curve?: readonly CurvePoint[]
  /** Seconds. */
  readonly startup?: number
  readonly peak?: number
  readonly headroom?: number
  readonly requests?: number
  readonly deadline?: number
  readonly replicas?: number
  readonly kvTokens?: number
  readonly kvBytes?: number
}

/** A recorded load, or a curve of a day. */
export async function dayOf({ trace, speedup, curve }: DemandFlags): Promise<DaySource | undefined> {
  const problems = [
    trace !== undefined && curve !== undefined && '--trace and --curve both say what comes in the course of a day',
    trace === undefined && speedup !== undefined && '--speedup plays a trace faster, and there is none',
  ].filter((problem) => problem !== false)
  if (problems.length > 0) {
    throw new TwospeedError('CONFLICTING_FLAGS', problems.join('; '), 'Give one of them.')
  }
  if (curve !== undefined) return { kind: 'curve', points: curve }
  return trace === undefined ? undefined : { kind: 'trace', trace: await readTrace(trace, speedup) }
}

async function readTrace(path: string, speedup: number | undefined): Promise<Trace> {
  const { tracePlan } = await import('../simulate/work.ts')
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  const { arrivals } = await tracePlan({ trace: path, ...(speedup !== undefined && { speedup }) }, say)
  if (arrivals.kind !== 'trace') throw new Error(`a trace came as ${arrivals.kind}`)
  return arrivals.trace
}

/** Each product with what comes of it: what flags say that its own file does not, or of one product before its file. */
export function askedOf(
  flags: DemandFlags,
  planned: readonly PlannedProduct[],
  day: DaySource | undefined,
): readonly AskedProduct[] {
  const isOne = planned.length === 1
  const open = planned.filter(({ product, demand }) => product.goal === 'pace' && !saysWhatComes(demand))
  if (!isOne && open.length > 1 && (flags.arrivals ?? flags.users ?? day) !== undefined) {
    const names = open.map(({ product }) => product.name).join(' and ')
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `what comes is given once, and ${names} do not say how much of it is theirs`,
      'Give each a file with its arrivals, or its users and think.',
    )
  }
  if (!isOne && open.length === 0 && (flags.arrivals ?? flags.users ?? day) !== undefined) {
    const saying = Object.entries({
      '--arrivals': flags.arrivals,
      '--users': flags.users,
      '--trace': day?.kind === 'trace' ? day : undefined,
      '--curve': day?.kind === 'curve' ? day : undefined,
    }).filter(([, value]) => value !== undefined)
    const flagged = saying.map(([name]) => name).join(' and ')
    const own = planned.flatMap(({ product, demand: { arrivalsPerSecond, users } }) =>
      (arrivalsPerSecond ?? users) === undefined
        ? []
        : `${arrivalsPerSecond === undefined ? 'users' : 'arrivals'} of ${product.name}`,
    )
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `${flagged} would say what comes, and every product's own file says it: ${own.join(', ')}`,
      `Leave ${flagged} out, or take that key out of the file that it is for.`,
    )
  }
  const usual = distributionsOf(flags)
  return planned.map(({ product, demand, lengths }) => {
    if (isOne) {
      const asked = { ...inPlaceOf(demand, flags, day), ...demandOf(flags, day) }
      return { product, demand: asked, lengths: { ...lengths, ...usual } }
    }
    const asked = { ...ofKind(demandOf(flags, day), product, demand), ...demand }
    return { product, demand: asked, lengths: { ...usual, ...lengths } }
  })
}

const saysWhatComes = ({ arrivalsPerSecond, users }: Demand): boolean => (arrivalsPerSecond ?? users) !== undefined

/** What a file says comes, unless a flag says it. */
const inPlaceOf = (demand: PlannedProduct['demand'], { arrivals, users }: DemandFlags, day?: DaySource): Demand =>
  (arrivals ?? users ?? day) === undefined ? demand : {}

/** Of flags for several products, those that are of this one: a batch has no arrivals, and what somebody waits for no deadline. */
function ofKind(flags: Demand, product: Product & ProductWork, own: PlannedProduct['demand']): Demand {
  const { inputTokens, outputTokens, gpuHour, kvTokens, kvBytes, ...kinds } = flags
  const { requests, deadlineS, replicas, peakPerSecond, headroom, ...comes } = kinds
  const ofPace = { ...(saysWhatComes(own) ? {} : comes), peakPerSecond, headroom }
  return given({
    ...(product.goal === 'throughput' ? withoutKeysOf(product, { requests, deadlineS, replicas }) : ofPace),
    ...withoutKeysOf(product, { inputTokens, outputTokens }),
    ...{ gpuHour, kvTokens, kvBytes },
  })
}

/** What a file says goes before a flag for all. */
const withoutKeysOf = <T extends object>(product: object, flags: T): Partial<T> =>
  Object.fromEntries(Object.entries(flags).filter(([key]) => !(key in product))) as Partial<T>

/** What the flags ask for. */
function demandOf(flags: DemandFlags, day: DaySource | undefined): Demand {
  const { arrivals, users, think, startup, peak, headroom, requests, deadline, replicas, kvTokens, kvBytes } = flags
  const { input: inputTokens, output: outputTokens } = lengthsOf(flags)
  return given({
    arrivalsPerSecond: arrivals,
    users,
    thinkS: think,
    day,
    startupS: startup,
    peakPerSecond: peak,
    headroom,
    requests,
    deadlineS: deadline,
    replicas,
    inputTokens,
    outputTokens,
    kvTokens,
    kvBytes,
    gpuHour: typeof flags.gpuHour === 'number' ? flags.gpuHour : undefined,
  })
}
