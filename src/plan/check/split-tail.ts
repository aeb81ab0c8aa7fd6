import type { CheckedFleet, Plan, PoolInstances, TailCheck } from '../../core/index.ts'
import type { SimulatedUnit } from '../candidate.ts'
import { type ComingRequests, meanOf, peakOverMean, times } from './demand-of.ts'
import { fewestInstances, type LookedAt } from './fewest-instances.ts'
import { gpusOfUnit } from './fleet-of-units.ts'
import { withInstances } from './instances.ts'
import { type Look, look, type Subject } from './look.ts'
import { hardestOf, replayOf } from './replay.ts'
import { checkedFleet, SHARE } from './tail.ts'
import { tailSentences } from './words.ts'

/** Instances of split pools, for the mean and for the peak. */
export interface SplitSizes {
  readonly mean: PoolInstances
  readonly peak: PoolInstances
}

/** The tails of requests that come to split pools, and the fewest instances of each kind that hold the share. */
export function splitTailCheck(plan: Plan, subject: Subject, { mean, peak }: SplitSizes): TailCheck | undefined {
  const coming = meanOf(plan)
  if (coming === undefined) return undefined
  const { share = SHARE } = plan.product
  const atPeak = times(coming, peakOverMean(plan))
  const looks = remembering(subject)
  const [ofMean, ofPeak] = [looks(coming, mean), looks(atPeak, peak)]
  const unitOf = (instances: PoolInstances): SimulatedUnit => withInstances(subject.unit, instances)
  const replay = replayOf(plan, subject, { unit: unitOf(peak), units: 1 })
  const hardest = hardestOf(
    share,
    (instances: PoolInstances) => looks(atPeak, instances),
    replay && ((instances) => replay.look(unitOf(instances), 1)),
  )
  const found = fewestInstances(hardest.look, {
    mean,
    peak,
    share,
    lacking: (tried) => lackingIn(tried, plan, 1 - share),
  })
  const gpus = found && gpusOfUnit(unitOf(found.instances))
  const check = {
    kind: 'tail',
    share,
    shareFrom: plan.product.share === undefined ? 'default' : 'product',
    mean: fleetOf(ofMean, mean, share, plan.perReplica.inFlight * plan.replicas),
    peak: fleetOf(ofPeak, peak, share),
    ...(found !== undefined && {
      replicas: found.instances.decode,
      pools: found.instances,
      replicasInterval: found.look.interval,
    }),
    ...(gpus !== undefined && { gpus }),
    ...(replay !== undefined && {
      replay: replay.told(fleetOf(replay.look(unitOf(peak), 1), peak, share)),
      judgedBy: hardest.judgedBy(found?.instances ?? peak),
    }),
    ...(ofMean.slice !== undefined && { slice: ofMean.slice }),
  } as const
  return { ...check, sentences: tailSentences(check, plan, subject) }
}

/** The same fleet under the same load is looked at once. */
function remembering(subject: Subject): (coming: ComingRequests, instances: PoolInstances) => Look {
  const seen = new Map<string, Look>()
  return (coming, instances) => {
    const key = `${coming.arrivalsPerSecond} ${instances.prefill} ${instances.decode}`
    const one = seen.get(key) ?? look({ ...subject, unit: withInstances(subject.unit, instances) }, coming, 1)
    seen.set(key, one)
    return one
  }
}

/** A replica is one that answers. */
const fleetOf = (seen: Look, pools: PoolInstances, share: number, plannedInFlight?: number): CheckedFleet => ({
  ...checkedFleet(seen, share, plannedInFlight),
  replicas: pools.decode,
  pools,
})

/**
 * More must read where first tokens are late, and more must answer where streams are slow, of more than half of those that may miss at all. First
 * tokens are late also where all places decode; then, and where more come than are answered, it is the kind that is busier.
 */
function lackingIn(
  { instances, look: { missed, overloaded } }: LookedAt,
  { pools, bindingConstraint }: Plan,
  allowed: number,
): readonly (keyof PoolInstances)[] {
  const busyOf = (kind: keyof PoolInstances): number =>
    pools === undefined ? 0 : (pools[kind].busy * pools[kind].instances) / instances[kind]
  const busier = busyOf('prefill') > busyOf('decode') ? 'prefill' : 'decode'
  const isFull = bindingConstraint === 'kv' || bindingConstraint === 'serverLimit'
  if (overloaded) return [busier]
  const [late, slow] = [missed.late > allowed / 2, missed.slow > allowed / 2]
  if (late && isFull) return [busier]
  return late && slow ? ['prefill', 'decode'] : [slow ? 'decode' : 'prefill']
}
