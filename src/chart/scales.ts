import { type ScaleLinear, scaleLinear } from 'd3-scale'
import type { FrontierChart } from './frontier-data.ts'
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

/** Both axes from 0, with room for the law's ends and their labels. */
export function scalesOf({ points, law, band: interval = [], chosen = [] }: FrontierChart): Scales {
  const all = [...points, ...chosen]
  const pace = Math.max(
    ...all.map((p) => p.tokensPerSecondPerUser),
    ...interval.map((p) => p.high),
    law?.soloLimit ?? 0,
  )
  const output = Math.max(...all.map((p) => p.outputTokensPerSecond), law?.ceiling ?? 0)
  return {
    x: scaleLinear([0, pace * (law === undefined ? 1.06 : 1.14) || 1], [FRAME.left, FRAME.right]),
    y: scaleLinear([0, output * 1.08 || 1], [FRAME.bottom, FRAME.top]),
  }
}
