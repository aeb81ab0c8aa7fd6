import {
  objectivesName,
  type Plan,
  type PlanAlternative,
  type PlannedPool,
  type Product,
  type ProductWork,
  TwospeedError,
} from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import { nothingHolds } from '../choosing/nothing-holds.ts'
import { type Given, givenBy, type Refused, unlessRefused } from '../choosing/tried.ts'
import { priceOf } from '../choosing/yardstick.ts'
import { type Demand, demandOf } from '../demand.ts'
import { plan } from '../plan.ts'
import type { FleetOptions } from './asked.ts'
import { behind } from './behind.ts'
import { completed } from './completed.ts'
import { splitCandidates } from './split-candidates.ts'
import { splitWays } from './split-ways.ts'
import { measureOf, ranked, type Way } from './way.ts'

/** So many of the others are told. */
const SHOWN = 8

/**
 * The fleet that holds a product, of the way to serve that takes the fewest GPUs at the peak, or where their prices differ the least money: of each
 * candidate as many as hold what comes, and of split pools as many instances of each kind. Beside `plan`'s answer it tells which way that is, what
 * the others would take and why they are behind, what to set the servers to, and how sure their pace is.
 *
 * Throws what `plan` throws; where none of several holds the product, how far the nearest is and what would help.
 */
export function planFleet(
  candidates: readonly Candidate[],
  product: Product & ProductWork,
  asked: Demand,
  options: FleetOptions = {},
): Plan {
  return plannedWay(candidates, product, asked, options).plan
}

/** The same, with the way that is taken. */
export function plannedWay(
  candidates: readonly Candidate[],
  product: Product & ProductWork,
  asked: Demand,
  options: FleetOptions,
): Way {
  const { ways, refused } = waysFor(candidates, product, asked, options)
  const demand = demandOf(product, asked)
  const isAmong = ways.length + refused.length > 1
  const measure = measureOf(ways)
  const [best, ...others] = ranked(ways, measure)
  if (best === undefined) {
    throw refused.length > 0 ? nothingHolds(refused, product, lengthsOf(demand)) : noSplitHolds(product, demand)
  }
  const alternatives = [
    ...shown(others).map((other) => behind(other, best, measure)),
    ...refused.map(({ candidate, error }): PlanAlternative => refusedOne(candidate, error)),
  ].slice(0, SHOWN)
  const whole = completed(best, product, demand, options)
  const isRaised = whole.replicasAtPeak !== best.plan.replicasAtPeak || whole.gpusAtPeak !== best.plan.gpusAtPeak
  const isNamed = isAmong || best.candidate.kind === 'predicted'
  const plan: Plan = {
    ...whole,
    ...(isNamed && { configuration: nameOf(best, whole) }),
    ...(isAmong && { alternatives }),
    ...(isRaised &&
      others.length > 0 && {
        arithmetic: [...whole.arithmetic, 'The other ways are compared by the arithmetic, before any simulation.'],
      }),
  }
  return { ...best, plan }
}

function noSplitHolds(product: Product, { inputTokens }: ReturnType<typeof demandOf>): TwospeedError {
  return inputTokens === undefined
    ? new TwospeedError(
        'MISSING_VALUE',
        '--input-tokens: how long prompts take to be read',
        'Such as --input-tokens 1024.',
      )
    : new TwospeedError(
        'NO_POINT_HOLDS',
        `no split pools hold ${objectivesName(product)}`,
        'Ask for less, or give more GPUs to one instance.',
      )
}

/** Of split pools with as many instances as there are after the simulation. */
function nameOf({ name, candidate }: Way, { pools }: Plan): string {
  if (pools === undefined) return name
  const of = ({ instances, instancesAtPeak = instances, layout }: PlannedPool): string =>
    `${instancesAtPeak} × ${layout}`
  return `${candidate.gpu ?? ''} ${of(pools.prefill)} prefill, ${of(pools.decode)} decode`.trim()
}

/** The best of every kind of GPU, split and not, whatever stands before them; then the best of the rest. */
function shown(ways: readonly Way[]): readonly Way[] {
  const kindOf = ({ candidate }: Way): string => `${candidate.gpu ?? candidate.name} ${candidate.isSplit ?? false}`
  const firsts = ways.filter((way, i) => ways.findIndex((other) => kindOf(other) === kindOf(way)) === i)
  const rest = ways.filter((way) => !firsts.includes(way)).slice(0, Math.max(0, SHOWN - firsts.length))
  return ways.filter((way) => firsts.includes(way) || rest.includes(way)).slice(0, SHOWN)
}

/** Every way to hold the product, and the candidates that do not. */
function waysFor(
  candidates: readonly Candidate[],
  product: Product & ProductWork,
  asked: Demand,
  { splits = [], strict = false }: FleetOptions,
): { readonly ways: readonly Way[]; readonly refused: readonly Refused[] } {
  const demand = demandOf(product, asked)
  const lengths = lengthsOf(demand)
  const groups = product.goal === 'throughput' ? splitCandidates(splits, product, lengths) : []
  const all = [...candidates, ...groups]
  if (all.length === 0 && splits.length === 0) {
    throw new TwospeedError('NO_POINTS', 'there is nothing to plan with', 'Give a run, points, a law or a model.')
  }
  const ways: Way[] = strict ? [] : [...splitWays(splits, product, demand, SHOWN + 1)]
  const refused: Refused[] = []
  for (const given of givenBy(all, product, lengths)) {
    const found = wayOf(given, product, asked, demand, strict)
    if ('error' in found) refused.push(found)
    else ways.push(found)
  }
  return { ways, refused }
}

function wayOf(
  { candidate, evidence, refusal }: Given,
  product: Product & ProductWork,
  asked: Demand,
  demand: ReturnType<typeof demandOf>,
  strict: boolean,
): Way | Refused {
  if (evidence === undefined) {
    if (refusal === undefined) throw new RangeError('neither evidence nor why there is none')
    return { candidate, error: refusal }
  }
  const gpuHour = priceOf(candidate, asked.gpuHour)
  const memory = demand.inputTokens === undefined ? undefined : candidate.memoryFor?.(lengthsOf(demand))
  const found = unlessRefused(() =>
    plan(
      evidence,
      product,
      {
        ...(memory !== undefined && { kvTokens: memory.kvCapacityTokens, kvBytes: memory.kvBytesPerToken }),
        ...asked,
        ...(gpuHour !== undefined && { gpuHour }),
      },
      { strict },
    ),
  )
  if (found instanceof TwospeedError) return { candidate, evidence, error: found }
  return { name: candidate.name, plan: found, candidate, ...(gpuHour !== undefined && { pricePerHour: gpuHour }) }
}

function refusedOne({ name }: Candidate, { message }: TwospeedError): PlanAlternative {
  return { configuration: name, holds: false, sentence: `Does not hold it: ${message}.` }
}

const lengthsOf = ({ inputTokens, outputTokens }: ReturnType<typeof demandOf>) => ({
  output: outputTokens,
  ...(inputTokens !== undefined && { input: inputTokens }),
})
