import { type Confidence, TwospeedError } from '../../core/index.ts'
import { type CandidateRequest, candidatesOf, poolOf } from '../pools/candidates.ts'
import { type FewestPools, fewestPools, leastPools } from '../pools/fewest-pools.ts'
import { defaultLink, type Link } from '../pools/link.ts'
import { nameOfPools, type Pool } from '../pools/split.ts'
import { usefulInstances } from '../pools/split-choices.ts'
import { quickBatch, type SplitLoad, type SplitObjective, type SplitWay, splitWay } from '../pools/split-way.ts'
import type { CalibrationSample } from '../roofline/calibrate.ts'
import { basisOf } from './basis.ts'

/** Requests a second that a fleet is to hold, in the mean and at the peak. */
export interface SplitRates {
  readonly mean: number
  readonly peak: number
}

export interface SplitFleetsRequest extends Omit<CandidateRequest, 'stepModelOf'> {
  readonly objective: SplitObjective
  readonly samples?: readonly CalibrationSample[]
  /** Absent: the GPUs' own where the fleet is in one domain, else a network port for each. */
  readonly link?: Link
  /** So many of the best are wanted. */
  readonly most: number
  /** What comes, where a request takes so long as it does at the most that an instance holds: of users who wait, a longer stay is fewer. */
  ratesAt(load: SplitLoad): SplitRates
}

/** Split pools over whole instances that hold what comes. */
export interface SplitFleet {
  readonly way: SplitWay
  readonly rates: SplitRates
  readonly mean: FewestPools
  readonly peak: FewestPools
  /** One instance of each. */
  readonly prefill: Pool
  readonly decode: Pool
  readonly confidence: Confidence
}

/**
 * Of every two layouts, the fewest instances that hold the objective; those with the fewest GPUs at the peak first. Most pairs are passed over, for
 * what they need at least is more than the best take. None where no pair holds it.
 */
export function splitFleets(request: SplitFleetsRequest): readonly SplitFleet[] {
  const { lengths, samples, most } = request
  const basis = basisOf(lengths, samples)
  const found: Omit<SplitFleet, 'confidence' | 'prefill' | 'decode'>[] = []
  for (const { way, rates, link } of waysOf(request, basis.stepModelOf)) {
    const bar = found[most - 1]?.peak.gpus ?? Number.POSITIVE_INFINITY
    if (leastPools(way, rates.peak).gpus >= bar) break
    const [mean, peak] = [fewestPools(way, rates.mean), fewestPools(way, rates.peak)]
    if (mean === undefined || peak === undefined || peak.gpus > link.within || peak.gpus >= bar) continue
    // The same two over another link.
    if (found.some((other) => other.way.reader === way.reader && other.way.writer === way.writer)) continue
    found.push({ way, rates, mean, peak })
    found.sort((a, b) => a.peak.gpus - b.peak.gpus || paceOf(b) - paceOf(a))
    found.splice(most)
  }
  return found.map((fleet) => {
    const { reader, writer } = fleet.way
    const { configuration } = writer.model
    const [prefill, decode] = [poolOf(1, reader.configuration), poolOf(1, configuration)]
    const asked = { configuration, load: fleet.way.most.batch, pools: nameOfPools(prefill, decode) }
    return { ...fleet, prefill, decode, confidence: basis.confidenceOf(asked) }
  })
}

const paceOf = ({ peak }: Pick<SplitFleet, 'peak'>): number => peak.load.tokensPerSecondPerUser

interface Tried {
  readonly way: SplitWay
  readonly rates: SplitRates
  /** `within` so many GPUs there is such a link. */
  readonly link: Link & { readonly within: number }
}

/** All pairs that hold the objective at all, by what they need at least. */
function waysOf(request: SplitFleetsRequest, stepModelOf: ReturnType<typeof basisOf>['stepModelOf']): readonly Tried[] {
  const { lengths, objective, ratesAt } = request
  const { readers, writers } = usefulOf({ ...request, stepModelOf })
  const tried: (Tried & { readonly least: number })[] = []
  for (const writer of writers) {
    const quick = quickBatch(writer, lengths, objective.floor)
    if (quick === undefined) continue
    for (const reader of readers) {
      for (const link of linksOf(request)) {
        const way = splitWay(reader, writer, lengths, link, objective, quick)
        if (way === undefined) continue
        const rates = ratesAt(way.most)
        const least = leastPools(way, rates.peak).gpus
        if (least <= link.within) tried.push({ way, rates, link, least })
      }
    }
  }
  return tried.sort((a, b) => a.least - b.least)
}

function usefulOf(request: CandidateRequest): ReturnType<typeof usefulInstances> {
  try {
    const { readers, writers } = candidatesOf(request)
    return usefulInstances(readers, writers, request.lengths)
  } catch (error) {
    if (error instanceof TwospeedError) return { readers: [], writers: [] }
    throw error
  }
}

function linksOf({ gpu, link }: SplitFleetsRequest): readonly Tried['link'][] {
  const anywhere = { within: Number.POSITIVE_INFINITY }
  if (link !== undefined) return [{ ...link, ...anywhere }]
  const beyond = { ...defaultLink(gpu, gpu.domain + 1), ...anywhere }
  return gpu.domain < 2 ? [beyond] : [{ ...defaultLink(gpu, gpu.domain), within: gpu.domain }, beyond]
}
