import { figure, objectivesName, type PoolAdvice, type Product, type ProductWork, percent } from '../../core/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import type { Choice, ChosenPoint } from '../choice.ts'
import type { Found } from '../choose.ts'
import { money } from '../planned-server.ts'
import { rankingOf } from './best.ts'
import { type ChoosingOptions, givenBy, lengthsFor } from './tried.ts'
import { pricedPoint } from './yardstick.ts'

/** A product that is held on its own. */
export interface ServedProduct {
  readonly product: Product & ProductWork
  readonly answer: Choice
  /** Of the output tokens of all, in any unit. */
  readonly tokens: number
}

/**
 * A gain under this is none: a pool for each comes in whole replicas of its own, and each has its own peak, where one pool's peaks come at
 * different times.
 */
const WORTH = 0.05

/**
 * Pools of their own for products, or one for all. All requests of one pool have one pace, so it runs where the strictest of them is held. For shares w of
 * the output tokens, and y tok/s/GPU,
 *
 *     GPUs for a tok/s:   shared 1/y_strictest      specialised Σ w/y
 *
 * and what the second saves of the first is the gain.
 */
export function poolAdvice(
  candidates: readonly Candidate[],
  served: readonly ServedProduct[],
  options: ChoosingOptions,
): PoolAdvice {
  const all = served.reduce((sum, { tokens }) => sum + tokens, 0)
  const weighed = served.map(({ product, answer, tokens }) => ({ product, answer, share: tokens / all }))
  const shares = weighed.map(({ product, share }) => ({ product: product.name, share }))
  const costs = costOf(weighed.map(({ answer, share }) => ({ point: answer.choice, share })))
  const together = strictestOf(served.map(({ product }) => product))
  const lengths = mixedLengths(weighed, options.lengths)
  const [best] = rankingOf(givenBy(candidates, together, lengths), together, options).held
  const specialised = {
    ...(costs.gpu !== undefined && { tokensPerSecondPerGpu: 1 / costs.gpu }),
    ...(costs.money !== undefined && { perMillionOutputTokens: costs.money }),
  }
  const names = served.map(({ product }) => product.name)
  if (best === undefined) {
    return {
      better: 'specialised',
      shares,
      specialised,
      sentence: `${listed(names)} cannot share a pool: each is held by itself, and nothing holds ${objectivesName(together)} at once.`,
    }
  }
  const point = pricedPoint(best, options.gpuHour, candidates.length > 1)
  const strictest = strictestName(served, best)
  const shared = costOf([{ point, share: 1 }])
  const byMoney = served.some(({ answer }) => answer.chosenBy?.what === 'money')
  const [one, own] = byMoney ? [shared.money, costs.money] : [shared.gpu ?? shared.server, costs.gpu ?? costs.server]
  const gain = one === undefined || own === undefined ? undefined : 1 - own / one
  const better = gain !== undefined && gain >= WORTH ? 'specialised' : 'shared'
  return {
    better,
    shares,
    shared: { choice: point, strictest },
    specialised,
    ...(gain !== undefined && { gain }),
    sentence: sentenceOf({ names, point, strictest, better, gain, byMoney, shares }),
  }
}

interface Weighed {
  readonly point: ChosenPoint
  readonly share: number
}

/** For each output token a second: GPUs, or servers while their GPUs are unknown; and what a million tokens cost. */
function costOf(points: readonly Weighed[]): {
  readonly gpu?: number
  readonly server: number
  readonly money?: number
} {
  const sum = (of: (point: ChosenPoint) => number | undefined): number | undefined => {
    const parts = points.map(({ point, share }) => ({ share, each: of(point) }))
    return parts.reduce<number | undefined>(
      (total, { share, each }) => (total === undefined || each === undefined ? undefined : total + share * each),
      0,
    )
  }
  const gpu = sum(({ tokensPerSecondPerGpu: each }) => each && 1 / each)
  const cost = sum(({ perMillionOutputTokens }) => perMillionOutputTokens)
  return {
    ...(gpu !== undefined && { gpu }),
    server: sum(({ outputTokensPerSecond }) => 1 / outputTokensPerSecond) ?? 0,
    ...(cost !== undefined && { money: cost }),
  }
}

/** What all of them ask at once. Without a floor or a limit in any of them it is a batch. */
function strictestOf(products: readonly Product[]): Product {
  const floors = products.flatMap(({ tokensPerSecond }) => tokensPerSecond ?? [])
  const waits = products.flatMap(({ ttftMs }) => ttftMs ?? [])
  const parts = products.flatMap(({ share }) => share ?? [])
  return {
    name: products.map(({ name }) => name).join(' + '),
    goal: floors.length + waits.length === 0 ? 'throughput' : 'pace',
    ...(floors.length > 0 && { tokensPerSecond: Math.max(...floors) }),
    ...(waits.length > 0 && { ttftMs: Math.min(...waits) }),
    ...(parts.length > 0 && { share: Math.max(...parts) }),
  }
}

/**
 * Whose part binds the shared pool. Where none does, but the server's own limit, who takes the most of what they allow there: a pool is of the
 * way to serve that holds them. Several that ask for the same are all named.
 */
function strictestName(served: readonly ServedProduct[], { binding, point }: Found): string {
  const taken = ({ product: { tokensPerSecond = 0, ttftMs: limit } }: ServedProduct): number => {
    const [pace, wait] = [tokensPerSecond / point.tokensPerSecondPerUser, (point.ttftMs ?? 0) / (limit ?? Infinity)]
    if (binding === 'floor') return pace
    return binding === 'ttft' ? wait : Math.max(pace, wait)
  }
  const most = Math.max(...served.map(taken))
  return listed(served.filter((one) => taken(one) === most).map(({ product }) => product.name))
}

/** Of the requests of all: shares are of output tokens, so that products with short answers bring more requests. */
function mixedLengths(
  weighed: readonly { readonly product: ProductWork; readonly share: number }[],
  asked: MeanLengths | undefined,
): MeanLengths | undefined {
  const own = weighed.map(({ product, share }) => ({ share, lengths: lengthsFor(product, asked) }))
  let [requests, inputs, known] = [0, 0, true]
  for (const { share, lengths } of own) {
    if (lengths === undefined) return asked
    requests += share / lengths.output
    known &&= lengths.input !== undefined
    inputs += (share / lengths.output) * (lengths.input ?? 0)
  }
  return { output: 1 / requests, ...(known && { input: inputs / requests }) }
}

interface Told {
  readonly names: readonly string[]
  readonly point: ChosenPoint
  readonly strictest: string
  readonly better: PoolAdvice['better']
  readonly gain: number | undefined
  readonly byMoney: boolean
  readonly shares: PoolAdvice['shares']
}

function sentenceOf({ names, point, strictest, better, gain, byMoney, shares }: Told): string {
  const on = point.configuration === undefined ? '' : ` on ${point.configuration}`
  const cost = point.perMillionOutputTokens
  const paid = byMoney && cost !== undefined ? `, ${money(cost)} a million output tokens` : ''
  const one = `One pool for ${listed(names)} runs where ${strictest} is held, ${figure(point.concurrency)} in flight${on}: ${figure(point.tokensPerSecondPerUser)} tok/s/user and ${figure(point.tokensPerSecondPerGpu ?? point.outputTokensPerSecond)} ${point.tokensPerSecondPerGpu === undefined ? 'tok/s' : 'tok/s/GPU'}${paid}.`
  const equal = shares.every(({ share }) => Math.abs(share * shares.length - 1) < 1e-9)
  const of = equal
    ? 'of as many output tokens each'
    : `of ${shares.map(({ product, share }) => `${percent(share)} of the output tokens for ${product}`).join(', ')}`
  if (gain === undefined) return one
  const saved = `${percent(Math.abs(gain))} ${gain < 0 ? 'more' : 'less'} ${byMoney ? 'money' : 'hardware'}`
  return better === 'specialised'
    ? `${one} A pool for each, ${of}, takes ${saved}.`
    : `${one} A pool for each, ${of}, takes ${saved}: not worth the whole replicas and the peak that each pool then has of its own.`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
