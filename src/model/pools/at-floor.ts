import type { PredictedPoint } from '../roofline/closed-loop.ts'
import { halved } from './halved.ts'

/** Both speeds of something at every load up to `most`; pace falls with load. */
export interface PaceCurve {
  readonly gpus: number
  readonly most: number
  at(load: number): PredictedPoint
}

export interface FloorPoint {
  /** In flight. */
  readonly load: number
  readonly tokensPerSecondPerUser: number
  readonly tokensPerSecondPerGpu: number
}

/** The greatest load, not only of whole ones, whose pace is still at the floor; undefined where one alone is slower. */
export function atFloor(curve: PaceCurve, floor: number): FloorPoint | undefined {
  const point = greatestWithin(curve, ({ tokensPerSecondPerUser }) => tokensPerSecondPerUser >= floor)
  return (
    point && {
      load: point.load,
      tokensPerSecondPerUser: point.tokensPerSecondPerUser,
      tokensPerSecondPerGpu: point.outputTokensPerSecond / curve.gpus,
    }
  )
}

/** The point of the greatest load that holds, of what holds at 1 and from some load on no more. */
export function greatestWithin(
  { most, at }: Pick<PaceCurve, 'most' | 'at'>,
  holds: (point: PredictedPoint) => boolean,
): PredictedPoint | undefined {
  const last = at(Math.max(1, most))
  if (holds(last)) return last
  const first = at(1)
  return holds(first) ? at(halved(1, most, (load) => holds(at(load)))) : undefined
}
