import { figure, type Product, TwospeedError } from '../../core/index.ts'
import type { OperatingPoint } from '../../model/index.ts'
import type { MeanLengths } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'
import { judgeOf } from '../judge.ts'
import { remediesFor } from './remedies.ts'
import type { Refused } from './tried.ts'

/** How far a point is from an objective, each part as a factor: more than 1 where it is missed. */
export interface Shortfall {
  readonly point: OperatingPoint
  readonly pace: number
  readonly wait: number
}

/**
 * Why no candidate holds a product: how near the nearest is, how many times as fast a stream or as soon a first token would have to be, and what
 * would make it so, as far as that can be calculated.
 */
export function nothingHolds(
  refused: readonly Refused[],
  product: Product,
  lengths: MeanLengths | undefined,
): TwospeedError {
  const missing = refused.flatMap((one) => {
    const shortfall = one.evidence === undefined ? undefined : shortfallOf(one.evidence, product)
    return shortfall === undefined ? [] : [{ ...one, evidence: one.evidence as Evidence, shortfall }]
  })
  const far = ({ pace, wait }: Shortfall): number => Math.max(pace, wait)
  const [nearest] = missing.toSorted((a, b) => far(a.shortfall) - far(b.shortfall))
  const [first] = refused
  if (nearest === undefined) {
    if (first === undefined) throw new RangeError('no candidate was refused')
    return amongSeveral(first, refused.length, first.error.hint)
  }
  return amongSeveral(nearest, refused.length, hintFor(nearest, product, lengths))
}

function amongSeveral({ candidate, error }: Refused, count: number, hint: string): TwospeedError {
  if (count === 1) return new TwospeedError(error.code, error.message, hint)
  const message = `none of ${figure(count)} candidates holds it; the nearest is ${candidate.name}: ${error.message}`
  return new TwospeedError(error.code, message, hint)
}

function hintFor(
  { candidate, evidence, error, shortfall }: Refused & { readonly evidence: Evidence; readonly shortfall: Shortfall },
  product: Product,
  lengths: MeanLengths | undefined,
): string {
  const { pace, wait } = shortfall
  // What is counted of requests, or refused though it holds, no factor mends.
  if (pace <= 1 && wait <= 1) return error.hint
  const needed = [
    ...(pace > 1 ? [`One stream must be ${figure(pace)} times as fast.`] : []),
    ...(wait > 1 ? [`A first token must come ${figure(wait)} times as soon.`] : []),
    ...smallerBatch(evidence),
  ]
  const remedies = remediesFor(candidate, evidence, { product, shortfall, lengths })
  return [...needed, ...(remedies.length > 0 ? remedies : [error.hint])].join(' ')
}

/** Only where nobody knows that it does not help. */
function smallerBatch({ curve }: Evidence): readonly string[] {
  const least = curve.points[0]?.load ?? 1
  return least > 1 && curve.at(1) === undefined
    ? [`Fewer than ${figure(least)} in flight are quicker, and were not measured: measure them.`]
    : []
}

/** The point that is least far from holding both. */
function shortfallOf(evidence: Evidence, product: Product): Shortfall | undefined {
  const { curve } = evidence
  const { tokensPerSecond: floor = 0, ttftMs: limit } = product
  const { judgesTtft } = judgeOf(evidence, product)
  const points = [1, ...curve.points.map(({ load }) => load)].flatMap((load) => curve.at(load) ?? [])
  const all = points.map((point): Shortfall => {
    const late = judgesTtft && limit !== undefined && point.ttftMs !== undefined ? point.ttftMs / limit : 0
    return { point, pace: floor / point.tokensPerSecondPerUser, wait: Number.isFinite(late) ? late : 0 }
  })
  const [first, ...others] = all
  return first && others.reduce((a, b) => (Math.max(b.pace, b.wait) < Math.max(a.pace, a.wait) ? b : a), first)
}
