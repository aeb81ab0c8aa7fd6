import type { Confidence } from '../../core/index.ts'
import { poolOf } from '../pools/candidates.ts'
import { type FewestPools, fewestPools, leastPools } from '../pools/fewest-pools.ts'
import { nameOfPools, type Pool } from '../pools/split.ts'
import { type SplitPairsRequest, splitPairs } from '../pools/split-pairs.ts'
import type { SplitLoad, SplitWay } from '../pools/split-way.ts'
import type { CalibrationSample } from '../roofline/calibrate.ts'
import { basisOf } from './basis.ts'

/** Requests a second that a fleet is to hold, in the mean and at the peak. */
export interface SplitRates {
  readonly mean: number
  readonly peak: number
}

export interface SplitFleetsRequest extends Omit<SplitPairsRequest, 'stepModelOf'> {
  readonly samples?: readonly CalibrationSample[]
  /** So many of the best are wanted. */
  readonly most: number
  /** What comes, where a request takes so long as it does at the most that an instance holds: of users who wait, a longer stay is fewer. */
  meanAt(load: SplitLoad): number
  /** The same at the peak: not less. Asked only of pairs that may be among the best. */
  peakAt(load: SplitLoad): number
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
  const tried = splitPairs({ ...request, stepModelOf: basis.stepModelOf }).map((pair) => {
    const meanRate = request.meanAt(pair.way.most)
    return { ...pair, meanRate, least: leastPools(pair.way, meanRate).gpus }
  })
  tried.sort((a, b) => a.least - b.least)
  for (const { way, within, meanRate, least } of tried) {
    const bar = found[most - 1]?.peak.gpus ?? Number.POSITIVE_INFINITY
    if (least >= bar) break
    const rates = { mean: meanRate, peak: request.peakAt(way.most) }
    if (leastPools(way, rates.peak).gpus >= bar) continue
    const [mean, peak] = [fewestPools(way, rates.mean), fewestPools(way, rates.peak)]
    if (mean === undefined || peak === undefined || peak.gpus > within || peak.gpus >= bar) continue
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
