import { type FleetPlan, type FleetSize, figure, percent, TwospeedError } from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import { unlessRefused } from '../choosing/tried.ts'
import { gpusOf, rateOf, servers } from '../plan-words.ts'
import { money } from '../planned-server.ts'
import type { AskedProduct, FleetOptions } from './asked.ts'
import { fillOf } from './fill.ts'
import { plannedWay } from './plan-fleet.ts'
import { sharedPlan } from './shared-plan.ts'
import { sizeOf, sizeWords, takesOf } from './size.ts'
import { totalOf } from './total.ts'
import type { Way } from './way.ts'

/**
 * Fleets of several products. Each that wants a pace has a pool of its own, of whatever way to serve is best for it, or all share one that runs
 * as the strictest of them asks:
 *
 *     of their own   │ chat 40 in flight │ code 12 │    each at its own load
 *     shared         │ chat + code, 12 in flight   │    one peak for all, and no replica half empty for each
 *
 * What takes fewer GPUs, or less money, at the peak is better. Batches go into what its fleet leaves idle. A product that nothing holds does not
 * hide the others.
 */
export function planProducts(
  candidates: readonly Candidate[],
  asked: readonly AskedProduct[],
  options: FleetOptions = {},
): FleetPlan {
  const tried = asked.map((one) => ({
    one,
    found: unlessRefused(() => plannedWay(candidates, one.product, one.demand, optionsFor(one, options))),
  }))
  const refused = tried.flatMap(({ one: { product }, found }) => {
    if (!(found instanceof TwospeedError)) return []
    const { code, message, hint } = found
    return [{ product, error: { code, message, hint } }]
  })
  const held = tried.flatMap(({ one, found }) => (found instanceof TwospeedError ? [] : [{ one, way: found }]))
  const paced = held.filter(({ one }) => one.product.goal === 'pace')
  const specialised = paced.length > 0 ? ownPools(paced.map(({ way }) => way)) : undefined
  const first = paced[0]?.way.plan.choice
  const together =
    specialised === undefined || first === undefined || paced.length < 2
      ? undefined
      : sharedPlan(
          candidates,
          paced.map(({ one }) => one),
          first,
          withoutLengths(options),
        )
  const common = typeof together === 'string' ? undefined : together
  const better = specialised && betterOf(specialised, common?.shared)
  const pools = better === 'shared' && common !== undefined ? [common.way] : paced.map(({ way }) => way)
  const batches = held.filter(({ one }) => one.product.goal === 'throughput')
  const fills = batches.flatMap(({ one, way }) => fillOf(pools, one, way.plan) ?? [])
  const total =
    held.length === 0
      ? undefined
      : totalOf({ pools: pools.map(({ plan }) => plan), batches: batches.map(({ way }) => way.plan), fills })
  return {
    plans: held.map(({ way }) => way.plan),
    ...(specialised !== undefined && { specialised }),
    ...(common !== undefined && { shared: common.shared }),
    ...(better !== undefined && paced.length > 1 && { better }),
    ...(fills.length > 0 && { fills }),
    ...(total !== undefined && { total }),
    refused,
    sentence: [
      ...refused.map(({ product, error }) => leftOut(product.name, error.message)),
      verdict(specialised, together, better),
      ...(total === undefined ? [] : [total.sentence]),
    ].join(' '),
    arithmetic: [
      ...paced.map(({ one, way }) => poolLine(one.product.name, way)),
      ...(specialised === undefined || paced.length < 2 ? [] : [specialised.sentence]),
      ...(common === undefined ? [] : sharedLines(common.shared)),
      ...batches.flatMap(({ one: { product } }) =>
        pools.length === 0 || fills.some((fill) => fill.product === product.name) ? [] : [alone(product.name, pools)],
      ),
    ],
  }
}

function optionsFor({ lengths }: AskedProduct, options: FleetOptions): FleetOptions {
  return lengths === undefined ? options : { ...options, lengths }
}

/** Of all together no distribution is known. */
function withoutLengths({ lengths: _, ...options }: FleetOptions): FleetOptions {
  return options
}

function alone(name: string, pools: readonly Way[]): string {
  const why = pools.every(({ split }) => split !== undefined)
    ? 'none of it fits into the split pools of the others, or nothing says how long its prompts are'
    : 'none of it fits in beside the others'
  return `${name}: ${why}, so it has a fleet of its own.`
}

const leftOut = (name: string, message: string): string => `${name} is left out, for it is not held: ${message}.`

function ownPools(ways: readonly Way[]): FleetSize {
  const size = sizeOf(ways.map(({ plan }) => plan))
  return { ...size, sentence: `Pools of their own take ${sizeWords(size)}.` }
}

/** Where both take the same, one pool is simpler to run. */
function betterOf(specialised: FleetSize, shared: FleetSize | undefined): 'specialised' | 'shared' {
  if (shared === undefined) return 'specialised'
  const byMoney = specialised.perHourAtPeak !== undefined && shared.perHourAtPeak !== undefined
  const [own, common] = [takesOf(specialised, byMoney), takesOf(shared, byMoney)]
  return own !== undefined && common !== undefined && own < common ? 'specialised' : 'shared'
}

function poolLine(name: string, { plan }: Way): string {
  const { arrivalsPerSecond = 0, inFlight = 0, choice, replicas, replicasAtPeak = replicas } = plan
  const on = plan.configuration === undefined ? '' : ` on ${plan.configuration}`
  return `${name}: ${rateOf(arrivalsPerSecond)}, ${figure(inFlight)} in flight${on} at ${figure(choice.tokensPerSecondPerUser)} tok/s/user: ${servers(replicas)} for the mean, ${figure(replicasAtPeak)} for the peak.`
}

function sharedLines({ products, plan, sentence }: NonNullable<FleetPlan['shared']>): readonly string[] {
  const terms = products.map(({ inFlight }) => figure(inFlight)).join(' + ')
  return [
    `Shared: L = Σ λ·W = ${terms} = ${figure(plan.inFlight ?? 0)} in flight, ${figure(plan.peak?.inFlight ?? 0)} at the peak of all together.`,
    sentence,
  ]
}

function verdict(
  specialised: FleetSize | undefined,
  together: ReturnType<typeof sharedPlan> | undefined,
  better: FleetPlan['better'],
): string {
  if (specialised === undefined) return 'No product that wants a pace is left.'
  if (together === undefined) return specialised.sentence
  if (typeof together === 'string') return `${together} ${specialised.sentence}`
  const { shared } = together
  const byMoney = specialised.perHourAtPeak !== undefined && shared.perHourAtPeak !== undefined
  const [own, common] = [takesOf(specialised, byMoney), takesOf(shared, byMoney)]
  if (own === undefined || common === undefined)
    return 'How many GPUs a replica has is not known, so the two cannot be compared.'
  const told = (amount: number): string => (byMoney ? `${money(amount)} an hour` : gpusOf(amount))
  if (own === common)
    return `One pool for all and pools of their own take the same at the peak, ${told(own)}; one pool is simpler to run.`
  const saved = `${told(Math.abs(own - common))} (${percent(Math.abs(own - common) / Math.max(own, common))})`
  return better === 'specialised'
    ? `Give each product a pool of its own: ${told(own)} at the peak for ${told(common)}, which saves ${saved}: not all need be as quick as the strictest.`
    : `Let all share one pool: ${told(common)} at the peak for ${told(own)}, which saves ${saved}: their peaks do not come together, and no replica is half empty for each.`
}
