import { parseDuration } from '../../core/index.ts'
import type { CurvePoint } from '../../sim/index.ts'
import { refuse } from '../flags.ts'
import { parseRate } from '../load-flags.ts'

const FORM =
  'It takes times and rates, such as 0h:2/s,8h:20/s,24h:2/s: straight between them, and from the last on anew.'

/** `0h:2/s,8h:20/s,24h:2/s`. */
export function curve(text: string): readonly CurvePoint[] {
  const points = text.split(',').map((part): CurvePoint => {
    const [time = '', rate = '', ...rest] = part.split(':')
    const atS = parseDuration(time.trim())
    const perS = /^0(\.0+)?\/(s|m|min|h)$/.test(rate.trim()) ? 0 : parseRate(rate)
    return atS === undefined || perS === undefined || rest.length > 0 ? refuse(FORM) : { atS, rate: perS }
  })
  const isAscending = points.every(({ atS }, i) => (i === 0 ? atS === 0 : atS > (points[i - 1]?.atS ?? 0)))
  if (points.length < 2 || !isAscending || points.every(({ rate }) => rate === 0)) return refuse(FORM)
  return points
}
