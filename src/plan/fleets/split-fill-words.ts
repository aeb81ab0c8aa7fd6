import { figure, type Plan, type PoolInstances, percent, type Trough } from '../../core/index.ts'
import { type MixEnd, type MixedLoad, PREFILL_SHARE } from '../../model/index.ts'
import { instancesWords } from '../check/index.ts'
import { doneSentences, fleetWords, tokensOf, tokensWords } from '../day/index.ts'
import { lasting, rateOf } from '../plan-words.ts'

type Told = Omit<Trough, 'sentence'>

interface Filled {
  readonly plan: Plan
  readonly pools: PoolInstances
}

/** How much of a batch split pools take beside those who wait, what ends that, and what need not be bought for it. */
export function splitFillSentence(trough: Told, { plan, pools }: Filled, most: MixedLoad | undefined): string {
  const { product, whole, filled, better, own } = trough
  const end = most && endWords(most.endedBy, plan)
  if (Math.max(whole.tokensPerDay, filled.tokensPerDay) === 0) {
    const why = end === undefined ? '' : `: ${end}`
    return `Nothing of ${product.name} goes into ${instancesWords(pools)}${why}. It takes a fleet of its own, ${fleetWords(own)}.`
  }
  return [
    better === 'whole' ? wholeSentence(trough, pools) : filledSentence(trough, plan, pools, most),
    ...(end === undefined || better === 'whole' ? [] : [`More of it does not fit: ${end}.`]),
    ...doneSentences(trough),
  ].join(' ')
}

function wholeSentence({ product, whole, filled, interactiveTokensPerDay }: Told, pools: PoolInstances): string {
  const free = `Of ${instancesWords(pools)}, ${figure(whole.replicas ?? 0)} that answer are free of users in the mean, with their share of those that read`
  return `${free}: they make ${tokensOf(whole)} of ${product.name} beside ${tokensWords(interactiveTokensPerDay)} for users. Filled in beside users it would be ${tokensOf(filled)}.`
}

function filledSentence(
  { product, whole, filled, interactiveTokensPerDay }: Told,
  { product: { name } }: Plan,
  pools: PoolInstances,
  most: MixedLoad | undefined,
): string {
  const at =
    most === undefined
      ? ''
      : `, ${rateOf(most.requestsPerSecond)} of it where as many come as in the mean: then ${figure(most.batch)} of both decode in each that answers at ${figure(most.tokensPerSecondPerUser)} tok/s/user, and a first token of ${name} takes ${lasting(most.ttftMs / 1000)}`
  const than =
    whole.tokensPerDay === 0
      ? 'No instances of both kinds are ever free of users for long enough.'
      : `Whole instances set free would make ${tokensOf(whole)}.`
  return `${instancesWords(pools)} make ${tokensOf(filled)} of ${product.name} beside ${tokensWords(interactiveTokensPerDay)} for users${at}. ${than} That is arithmetic: pools that are filled so are not simulated.`
}

/** What more of a batch would miss. */
function endWords(end: MixEnd, { product }: Plan): string {
  return {
    prefill: `those that read prompts are busy for ${percent(PREFILL_SHARE)} of the time`,
    link: `the link that carries the cache of prompts on is busy for ${percent(PREFILL_SHARE)} of the time`,
    floor: `with more ${product.name} has less than ${figure(product.tokensPerSecond ?? 0)} tok/s/user`,
    ttft: `with more a first token of ${product.name} takes longer than ${figure(product.ttftMs ?? 0)} ms`,
    places: 'those that answer decode no more at once',
  }[end]
}
