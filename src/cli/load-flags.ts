import { parseDuration } from '../core/index.ts'
import type { MeasureOptions } from '../load/index.ts'
import { refuse } from './flags.ts'

export const ARRIVAL_PROCESSES = ['constant', 'poisson', 'gamma'] as const

const SECONDS_PER: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600 }

/** `5/s`, `300/min`: per second; undefined where the text is no rate or has no unit. */
export function parseRate(text: string): number | undefined {
  const [, value, unit = ''] = /^(\d+(?:\.\d+)?)\/(s|m|min|h)$/.exec(text.trim()) ?? []
  const seconds = SECONDS_PER[unit]
  return seconds === undefined || !(Number(value) > 0) ? undefined : Number(value) / seconds
}

export const RATE_FORM = 'a rate greater than 0 with its unit, such as 5/s or 300/min'

export const rates = (text: string): readonly number[] =>
  text.split(',').map((part) => parseRate(part) ?? refuse(`It takes ${RATE_FORM}, or several: 5/s,10/s.`))

/** `2s`, or `exponential:2s` with that mean; undefined where the text is neither. */
export function parseThink(text: string): MeasureOptions['think'] {
  const [, exponential, time = ''] = /^(exponential:)?(.*)$/.exec(text.trim()) ?? []
  const meanS = parseDuration(time)
  if (meanS === undefined || !(meanS > 0)) return undefined
  return { meanS, distribution: exponential === undefined ? 'constant' : 'exponential' }
}

export const THINK_FORM = 'a duration with its unit, such as 2s, or exponential:2s for one of that mean'

export const think = (text: string): NonNullable<MeasureOptions['think']> =>
  parseThink(text) ?? refuse(`It takes ${THINK_FORM}.`)

export const arrivalProcess = (text: string): (typeof ARRIVAL_PROCESSES)[number] =>
  ARRIVAL_PROCESSES.find((name) => name === text) ?? refuse(`It takes ${ARRIVAL_PROCESSES.join(', ')}.`)
