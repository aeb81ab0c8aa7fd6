import {
  type Hardware,
  hardwareOf,
  type Objectives,
  type Point,
  type PoolHardware,
  type Run,
  type SimulatedLane,
  TwospeedError,
} from '../core/index.ts'

/** The lanes of a run that was simulated with several; empty of any other. */
export const lanesOf = ({ points }: Pick<Run, 'points'>): readonly string[] => [
  ...new Set(points.flatMap(({ simulation }) => simulation?.lanes?.map(({ name }) => name) ?? [])),
]

/** A run as one of its lanes had it, and what is to be said of that; a run without lanes as it is. Throws INVALID_VALUE for a lane that it has not. */
export function ofLane(
  run: Run,
  dir: string,
  lane: string | undefined,
): { readonly run: Run; readonly warning?: string } {
  const names = lanesOf(run)
  const [others, all] = [names.filter((name) => name !== lane), names.join(', ')]
  if (names.length === 0) return { run }
  if (lane === undefined) {
    return {
      run,
      warning: `${dir} is of several lanes (${all}), and its figures are of their mix: --lane takes one of them.`,
    }
  }
  if (others.length === names.length) {
    throw new TwospeedError('INVALID_VALUE', `--lane ${lane}: ${dir} has no such lane`, `It has ${all}.`)
  }
  return {
    run: laneOf(run, lane),
    warning: `Of ${dir} only lane ${lane} is looked at: its figures are those beside ${others.join(', ')}, at the loads that each had there.${besideWords(run, lane, others)}`,
  }
}

/** Who is served by the same pools stays there, whatever is planned for one of them. */
function besideWords({ workload }: Run, lane: string, others: readonly string[]): string {
  const own = laneIn(workload, lane)?.pools
  const sharing = others.filter((name) => {
    const theirs = laneIn(workload, name)?.pools
    return own === undefined || theirs === undefined || theirs.some((pool) => own.includes(pool))
  })
  if (sharing.length === 0) return ''
  return ` The same servers also have ${sharing.join(', ')}, each of them: settings are for ${lane} alone, and what ${sharing.length === 1 ? 'that one needs comes' : 'those need comes'} on top.`
}

export const noLanes = (lane: string): TwospeedError =>
  new TwospeedError(
    'CONFLICTING_FLAGS',
    `--lane ${lane}: nothing that is given is a run of several lanes`,
    'Leave it out, or give what simulate --lanes wrote.',
  )

/** What was found with all together is none of this lane's. Its own objective was counted while it ran, and no other can be: records tell no lanes. */
function laneOf(run: Run, name: string): Run {
  const { schema, createdAt, twospeed, target, workload, points } = run
  const asked = laneIn(workload, name)
  const hardware = hardwareUnder(run, asked?.pools)
  const { objectives } = points[0]?.simulation?.lanes?.find((one) => one.name === name) ?? {}
  const isCounted = areSame(run.objectives, objectives)
  const scale = run.hardware.gpus && hardware.gpus && run.hardware.gpus / hardware.gpus
  return {
    ...{ schema, createdAt, twospeed, target, hardware },
    workload: { ...asked },
    ...(objectives !== undefined && { objectives }),
    points: points.flatMap((point) => pointsOf(point, name, isCounted, scale)),
  }
}

/** What simulate wrote of it. */
interface WrittenLane {
  readonly name: string
  readonly pools?: readonly string[]
}

function laneIn({ lanes }: Run['workload'], name: string): WrittenLane | undefined {
  return Array.isArray(lanes) ? (lanes as readonly WrittenLane[]).find((one) => one.name === name) : undefined
}

/** Of the pools that a lane is kept to; of GPUs that were said otherwise, those. */
function hardwareUnder({ hardware, workload }: Run, names: WrittenLane['pools']): Hardware {
  const fleet = workload.fleet as { readonly pools: readonly (PoolHardware & { readonly name: string })[] } | undefined
  if (names === undefined || fleet === undefined) return hardware
  const own = hardwareOf(fleet.pools.filter((pool) => names.includes(pool.name)))
  const isSaid = hardware.gpus !== hardwareOf(fleet.pools).gpus
  return {
    ...own,
    ...(isSaid && hardware.gpus !== undefined && { gpus: hardware.gpus }),
    ...(hardware.name !== undefined && { name: hardware.name }),
  }
}

function areSame(a: Objectives = {}, b: Objectives = {}): boolean {
  return a.tokensPerSecond === b.tokensPerSecond && a.ttftMs === b.ttftMs && a.tpotMs === b.tpotMs
}

function pointsOf(
  { window, generator, repeat, simulation }: Point,
  name: string,
  isCounted: boolean,
  scale: number | undefined,
): readonly Point[] {
  const lane = simulation?.lanes?.find((one) => one.name === name)
  if (lane === undefined) return []
  const { name: _, objectives: __, goodput, perGpu, ...figures }: SimulatedLane = lane
  // The load of a point is that of all lanes: of one it is what was in flight of it.
  const load = { kind: 'rate', value: figures.littlesLaw.completionsPerSecond } as const
  return [
    {
      ...{ load, window, generator, ...figures },
      ...(repeat !== undefined && { repeat }),
      ...(perGpu !== undefined &&
        scale !== undefined && {
          perGpu: {
            outputTokensPerSecond: perGpu.outputTokensPerSecond * scale,
            totalTokensPerSecond: perGpu.totalTokensPerSecond * scale,
          },
        }),
      ...(goodput !== undefined && isCounted && { goodput }),
    },
  ]
}
