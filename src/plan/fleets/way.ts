import { type Plan, TwospeedError } from '../../core/index.ts'
import type { SplitFleet } from '../../model/index.ts'
import type { Candidate } from '../candidate.ts'
import type { SplitSource } from './asked.ts'

/** One way to serve with the fleet that it takes. */
export interface Way {
  readonly name: string
  readonly plan: Plan
  /** Of one GPU, in your own money. */
  readonly pricePerHour?: number
  /** Whose settings, power and simulated unit it has; of split pools a group of them. */
  readonly candidate: Candidate
  readonly split?: SplitOfWay
}

/** Split pools over whole instances. */
export interface SplitOfWay {
  readonly fleet: SplitFleet
  readonly source: SplitSource
  /** In a group such as the candidate. */
  readonly answering: number
}

/** What one of several fleets is better by: GPUs, or money where they differ in price. */
export interface Measure {
  readonly what: 'gpus' | 'money'
  /** Of the peak; of a batch of all of it. Less is better. */
  of(way: Way): number
}

/** Throws MISSING_VALUE where several are to be compared and the GPUs of one are not known. */
export function measureOf(ways: readonly Way[]): Measure {
  const unknown = ways.filter(({ plan }) => plan.gpus === undefined)
  if (ways.length > 1 && unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ')
    throw new TwospeedError(
      'MISSING_VALUE',
      `of ${names} the GPUs are not known, and several fleets are compared by what they take`,
      'Add --gpus N, those of the whole server, or measure with it.',
    )
  }
  const prices = ways.flatMap(({ pricePerHour }) => pricePerHour ?? [])
  const differ = new Set(prices).size > 1 && prices.length === ways.length && prices.every((price) => price > 0)
  const gpusOf = ({ plan }: Way): number => plan.gpusAtPeak ?? plan.gpus ?? 0
  // A batch without a deadline has as many servers as were asked for: what it takes is GPU-hours.
  const hoursOf = ({ plan }: Way): number =>
    plan.completionS === undefined || plan.deadlineS !== undefined ? 1 : plan.completionS / 3600
  return differ
    ? { what: 'money', of: (way) => gpusOf(way) * hoursOf(way) * (way.pricePerHour ?? 0) }
    : { what: 'gpus', of: (way) => gpusOf(way) * hoursOf(way) }
}

/** Best first: by GPUs or money, of equals by the pace that each user then has. */
export function ranked(ways: readonly Way[], { of }: Measure): readonly Way[] {
  return ways.toSorted(
    (a, b) => of(a) - of(b) || b.plan.perReplica.tokensPerSecondPerUser - a.plan.perReplica.tokensPerSecondPerUser,
  )
}
