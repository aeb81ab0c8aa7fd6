import type { PoolInstances } from '../../core/index.ts'
import { GROWTH, NEAR } from './fewest-units.ts'
import type { Look } from './look.ts'

/** Requests of all looks together: there are two kinds of instances to find the number of. */
const BUDGET = 110_000

/** A fleet that was looked at. */
export interface LookedAt {
  readonly instances: PoolInstances
  readonly look: Look
}

export interface InstancesWanted {
  readonly mean: PoolInstances
  readonly peak: PoolInstances
  readonly share: number
  /** Which kind a fleet lacks that missed the share, or both. */
  lacking(tried: LookedAt): readonly (keyof PoolInstances)[]
}

/**
 * The fewest instances, no fewer than those of the mean, of which a look says that they hold the share; undefined where none that are tried do.
 * Where those of the peak do not, the kind that lacks grows, at first by one:
 *
 *     answer │      ● holds
 *            │      │ too slow: one more answers
 *            │ ·──·─·
 *            │ peak  too late: one more reads
 *            └───────── read
 *
 * and of what lies between the last that fails and the first that holds, half is tried.
 */
export function fewestInstances(
  look: (instances: PoolInstances) => Look,
  { mean, peak, share, lacking }: InstancesWanted,
): LookedAt | undefined {
  let spent = 0
  const at = (instances: PoolInstances): LookedAt => {
    const seen = look(instances)
    spent += seen.sent
    return { instances, look: seen }
  }
  const holds = (tried: LookedAt): boolean => tried.look.share >= share
  let fails = at(mean)
  if (holds(fails)) return fails
  let enough = at(peak)
  const times = { prefill: 0, decode: 0 }
  while (!holds(enough)) {
    fails = enough
    const kinds = lacking(fails)
    if (spent >= BUDGET || kinds.some((kind) => times[kind] === GROWTH.length)) return undefined
    for (const kind of kinds) times[kind]++
    enough = at({ prefill: grown(peak.prefill, times.prefill), decode: grown(peak.decode, times.decode) })
  }
  for (let steps = stepsOf(fails, enough); steps > leastStep(enough) && spent < BUDGET; ) {
    const middle = at(between(fails.instances, enough.instances))
    if (holds(middle)) enough = middle
    else fails = middle
    steps = stepsOf(fails, enough)
  }
  return enough
}

/** So many times has it grown already: by one each time, of many by more. */
const grown = (count: number, times: number): number =>
  Math.max(count + times, Math.ceil(count * (GROWTH[times - 1] ?? 1)))

const stepsOf = ({ instances: from }: LookedAt, { instances: to }: LookedAt): number =>
  Math.max(Math.abs(to.prefill - from.prefill), Math.abs(to.decode - from.decode))

const leastStep = ({ instances: { prefill, decode } }: LookedAt): number =>
  Math.max(1, NEAR * Math.max(prefill, decode))

/** What two fleets differ in is halved; of one that they differ in the more is kept. */
function between(from: PoolInstances, to: PoolInstances): PoolInstances {
  const middle = (kind: keyof PoolInstances): number => Math.ceil((from[kind] + to[kind]) / 2)
  return { prefill: middle('prefill'), decode: middle('decode') }
}
