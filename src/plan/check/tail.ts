import type { CheckedFleet, Plan, TailCheck } from '../../core/index.ts'
import { type ComingRequests, meanOf, peakOverMean, times } from './demand-of.ts'
import { fewestUnits } from './fewest-units.ts'
import { gpusOfUnit } from './fleet-of-units.ts'
import { type Look, look, type Subject } from './look.ts'
import { hardestOf, replayOf } from './replay.ts'
import { tailSentences } from './words.ts'

/** Where nothing is said: nine requests in ten. */
export const SHARE = 0.9

export interface Units {
  readonly mean: number
  readonly peak: number
}

/** The tails of requests that come: under the mean and under what the peak is for, and the fewest units that hold the share there. */
export function tailCheck(plan: Plan, subject: Subject, { mean, peak }: Units): TailCheck | undefined {
  const coming = meanOf(plan)
  if (coming === undefined) return undefined
  const { share = SHARE } = plan.product
  const atPeak = times(coming, peakOverMean(plan))
  const looks = remembering(subject)
  const [ofMean, ofPeak] = [looks(coming, mean), looks(atPeak, peak)]
  const { unit } = subject
  const replay = replayOf(plan, subject, { unit, units: peak })
  const hardest = hardestOf(
    share,
    (units: number) => looks(atPeak, units),
    replay && ((units) => replay.look(unit, units)),
  )
  const found = fewestUnits(hardest.look, { least: mean, probable: Math.max(mean, peak), share })
  const gpus = gpusOfUnit(unit)
  const check = {
    kind: 'tail',
    share,
    shareFrom: plan.product.share === undefined ? 'default' : 'product',
    mean: checkedFleet(ofMean, share, plan.perReplica.inFlight * plan.replicas),
    peak: checkedFleet(ofPeak, share),
    ...(found !== undefined && { replicas: found.units, replicasInterval: found.interval }),
    ...(found !== undefined && gpus !== undefined && { gpus: found.units * gpus }),
    ...(replay !== undefined && {
      replay: replay.told(checkedFleet(replay.look(unit, peak), share)),
      judgedBy: hardest.judgedBy(found?.units ?? peak),
    }),
    ...(ofMean.slice !== undefined && { slice: ofMean.slice }),
  } as const
  return { ...check, sentences: tailSentences(check, plan, subject) }
}

/** The same fleet under the same load is looked at once. */
function remembering(subject: Subject): (coming: ComingRequests, units: number) => Look {
  const seen = new Map<string, Look>()
  return (coming, units) => {
    const key = `${coming.arrivalsPerSecond} ${units}`
    const one = seen.get(key) ?? look(subject, coming, units)
    seen.set(key, one)
    return one
  }
}

/** As an answer has it. */
export function checkedFleet(seen: Look, share: number, plannedInFlight?: number): CheckedFleet {
  const { units, share: attainment, interval, p10TokensPerSecond: p10, overloaded } = seen
  return {
    replicas: units,
    arrivalsPerSecond: seen.arrivalsPerSecond,
    attainment,
    interval,
    holds: attainment >= share,
    ...(p10 !== undefined && { p10TokensPerSecond: p10 }),
    ttftMs: seen.ttftMs,
    inFlight: seen.inFlight,
    ...(plannedInFlight !== undefined && { plannedInFlight }),
    residual: seen.residual,
    requests: seen.requests,
    ...(overloaded && { overloaded: true }),
  }
}
