import { checkAmounts, figure, portion, RANGES, TwospeedError } from '../core/index.ts'
import type { OperatingPoint } from '../model/index.ts'
import type { Binding, Choice, ChosenPoint } from './choice.ts'
import type { Evidence } from './evidence.ts'
import { type Judge, judgeOf, ROUNDING } from './judge.ts'
import { limitedBy } from './limit-words.ts'
import type { Product } from './product.ts'
import { askedOf, reasonOf } from './reason.ts'

/** A point, and what keeps it from being at a greater load. */
export interface Found {
  readonly point: OperatingPoint
  readonly binding: Binding
}

/**
 * Chooses the operating point of a product.
 *
 * A pace product gets the greatest whole load at which its objective holds. A measured load is judged by what was measured there,
 * whatever the law says; between two, the law or the pieces answer, provided that the lower one holds. Above the greatest and below
 * the least only a law that fits is believed, never for TTFT and no farther than the curve goes. A batch product gets the load of the highest *measured* throughput.
 *
 * Of a share of requests, whether they hold it is counted; see `Judge`.
 *
 * Throws NO_POINT_HOLDS with how near one can get, and NO_POINTS when nothing sound was measured.
 */
export function choose(evidence: Evidence, product: Product): Choice {
  return choiceAt(evidence, product, pointFor(evidence, product))
}

/** The point alone: of many that are compared only one is told about. */
export function pointFor(evidence: Evidence, product: Product): Found {
  checkAmounts([
    ['the floor of pace', product.tokensPerSecond, RANGES.tokensPerSecond],
    ['the longest wait for a first token, in ms,', product.ttftMs, RANGES.milliseconds],
    ['the share of requests', product.share, { least: 0, most: 1 }],
  ])
  return product.goal === 'throughput' ? highest(evidence) : greatest(evidence, product)
}

export function choiceAt(evidence: Evidence, product: Product, { point, binding }: Found): Choice {
  const { points } = evidence.curve
  const below = points.findLast(({ load }) => load < point.load)
  const above = points.find(({ load }) => load > point.load)
  const neighbours = [below, above].flatMap((beside) => (beside && evidence.curve.at(beside.load)) ?? [])
  return {
    product,
    choice: shown(point, evidence),
    bindingConstraint: binding,
    ...limitedBy(evidence, binding),
    reason: reasonOf(evidence, product, point, binding),
    fit: evidence.fit,
    frontier: evidence.frontier,
    neighbours: neighbours.map((beside) => shown(beside, evidence)),
  }
}

/** A point of the curve as an answer has it. */
export function shown({ load, attainment, ...point }: OperatingPoint, { gpus, share }: Evidence): ChosenPoint {
  return {
    concurrency: load,
    ...point,
    ...(share !== undefined && { share }),
    ...(attainment !== undefined && point.source === 'measured' && { attainment }),
    ...(gpus !== undefined && { tokensPerSecondPerGpu: point.outputTokensPerSecond / gpus }),
  }
}

function highest({ curve }: Evidence): Found {
  const measured = curve.points.flatMap((point) => curve.at(point.load) ?? [])
  const [first, ...others] = measured
  if (first === undefined) {
    throw new TwospeedError(
      'NO_POINTS',
      'no load was measured, and a batch product takes the highest measured throughput',
      'Give points or a run; a law alone only rises to its ceiling.',
    )
  }
  const best = highestOf(first, others)
  // Past the server's limit more load only waits, and what it makes differs by noise: it must make more than that.
  const most = curve.fitted.limit?.load ?? Number.POSITIVE_INFINITY
  const within = highestOf(
    first,
    others.filter((point) => point.load <= most),
  )
  const taken = best.outputTokensPerSecond > NOISE * within.outputTokensPerSecond ? best : within
  return { point: taken, binding: 'throughput' }
}

/** Less is how far two measurements of one load differ. */
export const NOISE = 1.03

function highestOf(first: OperatingPoint, others: readonly OperatingPoint[]): OperatingPoint {
  return others.reduce((a, b) => (b.outputTokensPerSecond > a.outputTokensPerSecond ? b : a), first)
}

function greatest(evidence: Evidence, product: Product): Found {
  const { curve } = evidence
  const { points, fitted } = curve
  const judge = judgeOf(evidence, product)
  const holds = (load: number): OperatingPoint | undefined => {
    const point = curve.at(load)
    return point !== undefined && judge.missed(point) === undefined ? point : undefined
  }
  const most = fitted.limit?.load ?? Number.POSITIVE_INFINITY
  const within = points.filter((point) => point.load <= most)
  const last = within.at(-1)

  /** The greatest whole load from one that holds up to `to`; what holds is a prefix there, for the pace only falls and TTFT grows. */
  const search = (from: OperatingPoint, to: number): OperatingPoint => {
    let held = from
    let [low, high] = [from.load, to]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      // Past 2^53 neighbours are no whole loads any more.
      if (middle <= low || middle >= high) break
      const point = holds(middle)
      if (point === undefined) high = middle
      else [held, low] = [point, middle]
    }
    return held
  }
  const bound = (point: OperatingPoint): Found => {
    if (point.load + 1 > most) return { point, binding: 'serverLimit' }
    const next = curve.at(Math.floor(point.load) + 1)
    const untold = next === undefined || (judge.judgesTtft && product.ttftMs !== undefined && next.ttftMs === undefined)
    return { point, binding: untold ? 'measuredRange' : (judge.missed(next) ?? 'floor') }
  }

  // From the top down: the first measured load that holds, then as far above it as the next measured load or the limit.
  for (let i = within.length - 1; i >= 0; i--) {
    const held = holds(within[i]?.load ?? 0)
    if (held === undefined) continue
    const next = within[i + 1]?.load ?? (fitted.limit === undefined ? ceilingOf(held, holds) : most + 1)
    return bound(search(held, next))
  }
  const one = last === undefined || (points[0]?.load ?? 1) > 1 ? holds(1) : undefined
  if (one !== undefined) return bound(search(one, points[0]?.load ?? ceilingOf(one, holds)))
  throw nothingHolds(evidence, product, judge)
}

/** A load beyond the one that holds that does not, or of which the curve says nothing, which comes: doubled until found. */
function ceilingOf(held: OperatingPoint, holds: (load: number) => OperatingPoint | undefined): number {
  let load = Math.floor(held.load) + 1
  while (holds(load) !== undefined) load *= 2
  return load
}

function nothingHolds(
  { curve, isPredicted }: Evidence,
  product: Product,
  { judgesTtft, counts }: Judge,
): TwospeedError {
  const seen = [1, ...curve.points.map((point) => point.load)].flatMap((load) => curve.at(load) ?? [])
  const [first, ...others] = seen
  if (first === undefined) {
    return new TwospeedError('NO_POINTS', 'no load with a pace was measured', 'Measure at two loads or more.')
  }
  const { tokensPerSecond: floor, ttftMs: limit, share } = product
  if (share !== undefined && counts) {
    const best = others.reduce((a, b) => ((b.attainment ?? 0) > (a.attainment ?? 0) ? b : a), first)
    return new TwospeedError(
      'NO_POINT_HOLDS',
      `no load gives ${portion(share)} of requests ${askedOf(product)}: at ${figure(best.load)} in flight ${portion(best.attainment ?? 0)} have it`,
      'Ask for less, for fewer requests, or measure lower loads.',
    )
  }
  const fastest = others.reduce((a, b) => (b.tokensPerSecondPerUser > a.tokensPerSecondPerUser ? b : a), first)
  const how = fastest.source === 'measured' ? 'measured' : isPredicted ? 'foretold' : 'by the law'
  const near = `the fastest is ${figure(fastest.tokensPerSecondPerUser)} at ${figure(fastest.load)} in flight (${how})`
  const waits = seen.flatMap((point) => point.ttftMs ?? [])
  if (floor !== undefined && fastest.tokensPerSecondPerUser < floor * (1 - ROUNDING)) {
    return new TwospeedError(
      'NO_POINT_HOLDS',
      `no load gives ${figure(floor)} tok/s/user: ${near}`,
      'Lower the floor, or make one stream faster: fewer bytes a step (quantisation), more or faster GPUs for one replica.',
    )
  }
  if (judgesTtft && limit !== undefined && waits.every((wait) => wait > limit)) {
    return new TwospeedError(
      'NO_POINT_HOLDS',
      `no load has its first token within ${figure(limit)} ms: the least is ${figure(Math.min(...waits))} ms`,
      'Allow a longer wait, shorten the prompts, or give prefill more hardware.',
    )
  }
  return new TwospeedError(
    'NO_POINT_HOLDS',
    `no load holds both ${figure(floor ?? 0)} tok/s/user and a first token within ${figure(limit ?? 0)} ms: ${near}, the least wait ${figure(Math.min(...waits))} ms`,
    'Relax one of them.',
  )
}
