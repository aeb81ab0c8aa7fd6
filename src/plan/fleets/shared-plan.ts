import { figure, type Plan, type SharedPlan, TwospeedError } from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import { unlessRefused } from '../choosing/tried.ts'
import type { AskedProduct, FleetOptions } from './asked.ts'
import { plannedWay } from './plan-fleet.ts'
import { partsAt, type SharedPart, sharedDemand, strictest } from './shared-demand.ts'
import { sizeOf, sizeWords } from './size.ts'
import type { Way } from './way.ts'

/** Users who wait longer ask less often, and then lengths are others in the mean: after so many times nothing moves any more. */
const ROUNDS = 3

/** One pool for all; or, as a sentence, why no load holds them together. `from` is a load to begin with. */
export function sharedPlan(
  candidates: readonly Candidate[],
  asked: readonly AskedProduct[],
  from: Plan['choice'],
  options: FleetOptions,
): { readonly way: Way; readonly shared: SharedPlan } | string {
  const product = strictest(asked)
  const wayAt = (choice: Plan['choice'], how: FleetOptions): Way =>
    plannedWay(candidates, product, sharedDemand(asked, partsAt(asked, choice), choice), how)
  const found = unlessRefused(() => {
    let choice = from
    for (let round = 0; round < (dependsOnLoad(asked) ? ROUNDS : 0); round++) {
      choice = wayAt(choice, { ...options, check: false }).plan.choice
    }
    return wayAt(choice, options)
  })
  if (found instanceof TwospeedError) return `No pool can be shared: ${contradiction(asked)}${found.message}.`
  return { way: found, shared: told(found.plan, partsAt(asked, found.plan.choice)) }
}

/** Whether what comes, or its peak, is known only with the load. */
const dependsOnLoad = (asked: readonly AskedProduct[]): boolean =>
  asked.some(
    ({ demand: { users, peakPerSecond, headroom, day } }) =>
      users !== undefined || peakPerSecond !== undefined || headroom !== undefined || day !== undefined,
  )

function told(plan: Plan, parts: readonly SharedPart[]): SharedPlan {
  const pace = plan.choice.tokensPerSecondPerUser
  const size = sizeOf([plan])
  const products = parts.map(({ product, ...part }) => ({
    name: product.name,
    ...part,
    ...(product.tokensPerSecond !== undefined && { paceOverFloor: pace / product.tokensPerSecond }),
  }))
  const roomy = products.filter(({ paceOverFloor = 1 }) => paceOverFloor > 1.05)
  const than = roomy.map(({ name, paceOverFloor = 1 }) => `${name} ${figure(paceOverFloor)} times its floor`)
  const given = than.length === 0 ? '' : `; that gives ${than.join(' and ')}`
  return {
    ...size,
    plan,
    products,
    sentence: `One pool for all runs at ${figure(plan.choice.concurrency)} in flight a replica, ${figure(pace)} tok/s/user, as the strictest asks${given}: ${sizeWords(size)}.`,
  }
}

/** Which parts of whom cannot be together. */
function contradiction(asked: readonly AskedProduct[]): string {
  const { tokensPerSecond, ttftMs } = strictest(asked)
  const whose = (is: (one: AskedProduct['product']) => boolean): string =>
    asked.find(({ product }) => is(product))?.product.name ?? ''
  const parts = [
    ...(tokensPerSecond === undefined
      ? []
      : [`the floor of ${whose((one) => one.tokensPerSecond === tokensPerSecond)}`]),
    ...(ttftMs === undefined ? [] : [`the first token of ${whose((one) => one.ttftMs === ttftMs)}`]),
  ]
  return parts.length < 2 ? '' : `${parts.join(' with ')} is held by no load: `
}
