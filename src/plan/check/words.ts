import {
  type CheckedFleet,
  type DrainCheck,
  figure,
  objectivesName,
  type Plan,
  type PoolInstances,
  percent,
  portion,
  type TailCheck,
} from '../../core/index.ts'
import { lasting, rateOf, servers } from '../plan-words.ts'
import { instancesWords } from './instances.ts'
import type { Subject } from './look.ts'
import { replaySentences } from './replay-words.ts'

/** All that a check of tails says, for a person. */
export function tailSentences(check: Omit<TailCheck, 'sentences'>, plan: Plan, { limits }: Subject): readonly string[] {
  const what = objectivesName(limits)
  const wants = what === '' ? 'end' : `get ${what}`
  const { mean, peak, replay } = check
  const isOne = countOf(mean) === countOf(peak) && mean.arrivalsPerSecond === peak.arrivalsPerSecond
  const of = (fleet: CheckedFleet, what: string): string => `${countOf(fleet)} for the ${what}`
  return [
    `Simulated, ${come(plan, mean)}: ${fleetWords(mean, of(mean, isOne ? 'mean and peak' : 'mean'), wants)}`,
    ...(isOne ? [] : [`${capital(come(plan, peak))}, ${fleetWords(peak, of(peak, 'peak'), wants)}`]),
    ...(replay === undefined
      ? []
      : replaySentences({ ...check, replay }, fleetWords(replay, of(replay, 'peak'), wants))),
    fewestLine(check),
    ...sliceLine(check),
    ...waitLine(plan, mean, limits),
    ...(limits.ttftMs === undefined && plan.product.ttftMs !== undefined
      ? ['The wait for the first token is not judged there: nothing given holds one.']
      : []),
  ]
}

function come({ users, thinkS = 0 }: Plan, { arrivalsPerSecond }: CheckedFleet): string {
  if (users === undefined) return `${rateOf(arrivalsPerSecond)} that come by chance`
  const pause = thinkS === 0 ? '' : ` who pause by chance, ${lasting(thinkS)} in the mean`
  return `${rateOf(arrivalsPerSecond)} of users${pause}`
}

function fleetWords(fleet: CheckedFleet, whose: string, wants: string): string {
  const { replicas, pools, attainment, interval, inFlight, plannedInFlight, ttftMs, p10TokensPerSecond } = fleet
  if (fleet.overloaded === true) {
    return `${whose} ${replicas === 1 && pools === undefined ? 'answers' : 'answer'} fewer than come, and those in flight grow without end.`
  }
  const pace = p10TokensPerSecond === undefined ? '' : `nine in ten have at least ${figure(p10TokensPerSecond)} tok/s, `
  const attained = attainment === 1 ? 'all' : finePercent(attainment)
  const within =
    attainment === 1 && interval.low > 0.995
      ? ''
      : ` (19 times in 20 it is ${finePercent(interval.low)} to ${finePercent(interval.high)})`
  const planned = plannedInFlight === undefined ? '' : ` (by the arithmetic ${figure(plannedInFlight)})`
  return `with ${whose} ${attained} of them ${wants}${within}; ${pace}the first token takes ${lasting(ttftMs.p50 / 1000)} (median) and ${lasting(ttftMs.p99 / 1000)} (99 in 100), ${figure(inFlight)} are in flight${planned}.`
}

/** Replicas, or of split pools instances of both kinds. */
const countOf = ({ replicas, pools }: Pick<CheckedFleet, 'replicas' | 'pools'>): string =>
  pools === undefined ? servers(replicas) : instancesWords(pools)

function fewestLine({
  share,
  shareFrom,
  replicas,
  pools,
  replicasInterval: seen,
  mean,
  peak,
}: Omit<TailCheck, 'sentences'>): string {
  const whose =
    shareFrom === 'product' ? portion(share) : `${portion(share)} (no share was asked for: this one is ours)`
  if (replicas === undefined) return `No fleet that was tried gives it to ${whose}.`
  const { replicas: planned } = peak
  const than =
    pools !== undefined && peak.pools !== undefined
      ? thanPools(pools, peak.pools)
      : replicas > planned
        ? `more than ${figure(planned)} of the arithmetic, so the peak is planned with those`
        : replicas < planned
          ? `${figure(planned - replicas)} fewer than those of the peak`
          : mean.replicas === planned
            ? 'as many as the arithmetic has'
            : 'those of the peak'
  const unsure =
    seen === undefined || seen.low >= share
      ? ''
      : ` (between ${portion(seen.low)} and ${portion(seen.high)}, 19 times in 20: not sure)`
  return `Fewest that give it to ${whose}: ${countOf({ replicas, ...(pools !== undefined && { pools }) })}${unsure}, ${than}.`
}

function thanPools({ prefill, decode }: PoolInstances, peak: PoolInstances): string {
  if (prefill > peak.prefill || decode > peak.decode)
    return `more than the ${figure(peak.prefill)} and ${figure(peak.decode)} of the arithmetic, so the peak is planned with those`
  return prefill === peak.prefill && decode === peak.decode ? 'those of the peak' : 'fewer than those of the peak'
}

/** Of points that hold waits the law knows no more than what prompts and steps take. */
function waitLine(
  { perReplica: { ttftMs = 0, source } }: Plan,
  { ttftMs: simulated, overloaded }: CheckedFleet,
  limits: Subject['limits'],
): readonly string[] {
  const isMeasured = limits.ttftMs !== undefined && source !== 'extrapolated'
  if (!isMeasured || overloaded === true || ttftMs <= MUCH * simulated.p50) return []
  return [
    `At that load ${lasting(ttftMs / 1000)} to the first token were measured, and here it takes ${lasting(simulated.p50 / 1000)}: what else makes it wait is not in the law that is simulated, so fewer may have it in time.`,
  ]
}

const MUCH = 1.5

function sliceLine({ slice }: Omit<TailCheck, 'sentences'>): readonly string[] {
  if (slice === undefined) return []
  return [
    `So large a fleet is not simulated whole, but ${figure(slice.engines)} of its ${figure(slice.of)} engines, with their share of what comes and of its chance.`,
  ]
}

/** All that a check of a batch says. */
export function drainSentences(
  { completionS, plannedS, inTime }: Omit<DrainCheck, 'sentences'>,
  { replicas, deadlineS }: Plan,
  { part, found }: { readonly part: number; readonly found?: FoundInTime | undefined },
): readonly string[] {
  const of = replicas === 1 ? 'the replica' : 'each replica'
  const told = `Simulated, ${of} works its ${figure(part)} ${part === 1 ? 'request' : 'requests'} off in ${lasting(completionS)}; by the arithmetic it is ${lasting(plannedS)}.`
  if (inTime !== false || deadlineS === undefined) return [told]
  const late = `${told} That is past the deadline of ${lasting(deadlineS)}`
  if (found === undefined) return [`${late}, and no fleet that was tried makes it.`]
  const count = servers(found.count)
  return [
    `${late}: of the fleets that were simulated ${count} ${found.count === 1 ? 'makes' : 'make'} it${found.isFewest ? ', and one fewer does not' : ''}.`,
  ]
}

/** A fleet that was simulated and makes the deadline, and whether one of a replica less is known not to. */
export interface FoundInTime {
  readonly count: number
  readonly isFewest: boolean
}

/** A share of which the last percent matters: 99.6 %, and 100 % only where it is. */
const finePercent = (share: number): string =>
  share > 0.99 && share < 1 ? `${Math.min(99.9, Math.round(1000 * share) / 10)} %` : percent(share)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
