import type { Objectives } from '../core/index.ts'
import type { OperatingPoint } from '../model/index.ts'
import type { Binding } from './choice.ts'
import type { Evidence } from './evidence.ts'
import type { Product } from './product.ts'

type Missed = Extract<Binding, 'floor' | 'ttft'>

/**
 * Whether a load holds an objective. Without a share it does where the typical pace and the typical wait do. With a share of requests that
 * is not enough, for those with the pace need not be those with the wait:
 *
 *     80 in flight   90 % have the pace        ██████████████████░░
 *                    90 % have the wait        ░░██████████████████
 *                    80 % have both              ████████████████
 *
 * So at a measured load those with both are counted. Between two loads nobody can be; there each part holds by itself and, where the
 * measured load above holds each part but not both, so does the counted share in a straight piece.
 */
export interface Judge {
  /** Where no point has a TTFT it is not judged. */
  readonly judgesTtft: boolean
  /** Whether the evidence has counted those requests that meet just this product's objective. */
  readonly counts: boolean
  /** Which part the point misses, alone or, of a share, the more. */
  missed(point: OperatingPoint): Missed | undefined
  /** Which part it misses by itself. */
  missedPart(point: OperatingPoint): Missed | undefined
}

/** A pace equal to the floor up to rounding holds it: 1 / (20/2000 s) may come out below 100. */
export const ROUNDING = 1e-9

export function judgeOf({ curve, objectives = {} }: Evidence, product: Product): Judge {
  const { tokensPerSecond: floor = 0, ttftMs: limit, share } = product
  const judgesTtft = curve.points.some((point) => point.ttftMs !== undefined)
  const counts = share !== undefined && isSame(objectives, product)

  // A wait that is not known cannot be held.
  const missedPart = ({ ttftMs, tokensPerSecondPerUser }: OperatingPoint): Missed | undefined => {
    const isLate = !(ttftMs !== undefined && ttftMs <= (limit ?? 0) * (1 + ROUNDING))
    if (judgesTtft && limit !== undefined && isLate) return 'ttft'
    return tokensPerSecondPerUser < floor * (1 - ROUNDING) ? 'floor' : undefined
  }
  const isEnough = (attainment: number): boolean => attainment >= (share ?? 0) - ROUNDING
  /** Of what is missed together, the part that is nearer to its limit. */
  const nearer = ({ ttftMs, tokensPerSecondPerUser }: OperatingPoint): Missed =>
    limit !== undefined && (floor === 0 || limit / (ttftMs ?? Infinity) < tokensPerSecondPerUser / floor)
      ? 'ttft'
      : 'floor'

  const missed = (point: OperatingPoint): Missed | undefined => {
    const part = missedPart(point)
    const { attainment, load, source } = point
    if (!counts || attainment === undefined) return part
    if (source === 'measured') return isEnough(attainment) ? undefined : (part ?? nearer(point))
    if (part !== undefined || isEnough(attainment)) return part
    const next = curve.points.find((measured) => measured.load > load)
    const above = next && curve.at(next.load)
    return above !== undefined && missedPart(above) === undefined && !isEnough(above.attainment ?? 1)
      ? nearer(point)
      : undefined
  }
  return { judgesTtft, counts, missed, missedPart }
}

/** A limit on TPOT is none of a product's. */
const isSame = (objectives: Objectives, { tokensPerSecond, ttftMs }: Product): boolean =>
  objectives.tokensPerSecond === tokensPerSecond && objectives.ttftMs === ttftMs && objectives.tpotMs === undefined
