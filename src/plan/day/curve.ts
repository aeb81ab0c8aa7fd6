import type { CurvePoint } from '../../sim/index.ts'

/** Requests that a curve brings in one length of it: its straight pieces are trapezes. */
export const areaOf = (points: readonly CurvePoint[]): number => areaUntil(points, points.at(-1)?.atS ?? 0)

/** The same up to an instant of it. */
export function areaUntil(points: readonly CurvePoint[], untilS: number): number {
  let area = 0
  for (const [i, to] of points.entries()) {
    const from = points[i - 1]
    if (from === undefined || from.atS >= untilS) continue
    const endS = Math.min(to.atS, untilS)
    const endRate = from.rate + ((to.rate - from.rate) * (endS - from.atS)) / (to.atS - from.atS)
    area += ((from.rate + endRate) / 2) * (endS - from.atS)
  }
  return area
}
