import { type ScaleLinear, scaleLinear } from 'd3-scale'
import type { ChartPoint, FrontierChart, LawLine } from './frontier-data.ts'
import type { Box } from './labels.ts'

/** Pixels of the picture, and the part of it that the axes enclose. */
export const WIDTH: number = 760
export const HEIGHT: number = 470
export const FRAME: Box = { left: 66, top: 40, right: WIDTH - 22, bottom: HEIGHT - 54 }
type Scale = ScaleLinear<number, number>
export interface Scales {
  readonly x: Scale
  readonly y: Scale
}

/** Both axes from 0, with room for the law's ends and their labels; a law that the points refute says nothing of how far they go. */
export function scalesOf({ points, law, band: interval = [], chosen = [], others = [] }: FrontierChart): Scales {
  const all = [...points, ...chosen, ...others]
  const ends = law?.trust === 'refuted' ? undefined : law
  const pace = Math.max(
    ...all.map((p) => p.tokensPerSecondPerUser),
    ...interval.map((p) => p.high),
    ends?.soloLimit ?? 0,
  )
  const output = Math.max(...all.map((p) => p.outputTokensPerSecond), ends?.ceiling ?? 0)
  return {
    x: scaleLinear([0, pace * (ends === undefined ? 1.06 : 1.14) || 1], [FRAME.left, FRAME.right]),
    y: scaleLinear([0, output * 1.08 || 1], [FRAME.bottom, FRAME.top]),
  }
}

/** Whether the axis has it: a floor may lie beyond all that is drawn. */
export function isInside(scale: Scale, value: number): boolean {
  const [, most = 0] = scale.domain()
  return value <= most
}

/** Points that a line is drawn through where no law is. */
export const isOfLine = ({ kind }: ChartPoint): boolean => kind === 'measured' || kind === 'foretold'

/** The law's throughput at a pace. */
export function lawAt({ soloLimit, ceiling }: LawLine, pace: number): number {
  return ceiling * (1 - pace / soloLimit)
}

/** The paces between which the law is inside the axes; none where it passes them by. */
export function lawSpan(law: LawLine, { x, y }: Scales): readonly [number, number] | undefined {
  const [, widest = 0] = x.domain()
  const [, highest = 0] = y.domain()
  const from = Math.max(0, law.soloLimit * (1 - highest / law.ceiling))
  const to = Math.min(law.soloLimit, widest)
  return from < to ? [from, to] : undefined
}
