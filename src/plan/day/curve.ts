import { greatestWhole } from '../../core/index.ts'
import type { CurvePoint } from '../../sim/index.ts'

/** How many requests a daily curve brings, and how many of them are in flight. */
export interface Curve {
  readonly lengthS: number
  /** In one length of it. */
  readonly requests: number
  readonly most: number
  /** Λ(t): those that have come, from 0 on, over as many days as it takes; before 0 it is negative. */
  until(atS: number): number
  /** Where the rate bends, within one length. */
  readonly bends: readonly number[]
}

/** The first point at 0, the rate straight between two, and after the last one the day begins anew: as the simulator plays it. */
export function createCurve(points: readonly CurvePoint[]): Curve {
  const lengthS = points.at(-1)?.atS ?? 0
  const before: number[] = [0]
  for (const [i, to] of points.entries()) {
    const from = points[i - 1]
    if (from !== undefined) before.push((before.at(-1) ?? 0) + ((from.rate + to.rate) / 2) * (to.atS - from.atS))
  }
  const requests = before.at(-1) ?? 0

  /** Of an instant of the first day. */
  const within = (atS: number): number => {
    const low = greatestWhole(0, points.length - 1, (at) => (points[at]?.atS ?? 0) <= atS)
    const [from, to] = [points[low], points[low + 1]]
    if (from === undefined || to === undefined || from === to) return 0
    const inside = atS - from.atS
    const rate = from.rate + ((to.rate - from.rate) * inside) / (to.atS - from.atS)
    return (before[low] ?? 0) + ((from.rate + rate) / 2) * inside
  }
  return {
    lengthS,
    requests,
    most: Math.max(...points.map(({ rate }) => rate)),
    until: (atS) => {
      const days = Math.floor(atS / lengthS)
      return days * requests + within(atS - days * lengthS)
    },
    bends: points.map(({ atS }) => atS),
  }
}
