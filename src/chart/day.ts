import { type Panel, panelsSvg } from './panels.ts'

/** What comes at one instant, and what serves it until the next. */
export interface DayChartInstant {
  readonly atS: number
  readonly arrivalsPerSecond: number
  /** Replicas that hold it, and that are there where the fleet follows the day. */
  readonly needed: number
  readonly following: number
}

export interface DayChart {
  readonly title: string
  readonly lengthS: number
  /** Replicas that are there all the time. */
  readonly fixed: number
  /** Ascending. */
  readonly instants: readonly DayChartInstant[]
}

/**
 * What comes in the course of a day, and under it the fleet for the peak and the one that follows the day.
 *
 *     ▲ requests a second  ──╱╲__
 *     ▲ for the peak ─────────  following ┌─┐__  needed - - -
 *     └────────────────────────▶ hours
 */
export function daySvg({ title, lengthS, fixed, instants }: DayChart): string {
  const [seconds, unit] = unitOf(lengthS)
  // The last instant lasts until the end.
  const all = instants.length === 0 ? [] : [...instants, { ...(instants.at(-1) as DayChartInstant), atS: lengthS }]
  const arrivals = all.map(({ arrivalsPerSecond }) => arrivalsPerSecond)
  const fleet = all.flatMap(({ needed, following }) => [needed, following])
  const demand: Panel = {
    top: 34,
    bottom: 144,
    most: 1.05 * Math.max(...arrivals) || 1,
    lines: [{ name: 'arrivals', label: 'requests a second', values: arrivals }],
  }
  const replicas: Panel = {
    top: 188,
    bottom: 308,
    most: 1.05 * Math.max(1, fixed, ...fleet),
    lines: [
      { name: 'fixed', label: 'replicas for the peak', values: all.map(() => fixed) },
      { name: 'following', label: 'that follow the day', values: all.map(({ following }) => following), isStep: true },
      { name: 'needed', label: 'that are needed', values: all.map(({ needed }) => needed), isStep: true },
    ],
  }
  const length = lengthS / seconds
  return panelsSvg({
    title,
    at: all.map(({ atS }) => atS / seconds),
    across: unit,
    ticks: ticksOf(length, unit === 'hours' ? [1, 2, 3, 6, 12, 24, 48, 168] : [1, 2, 5, 10, 15, 30]),
    panels: [demand, replicas],
  })
}

/** Clocks are not read by tens. */
function ticksOf(length: number, steps: readonly number[]): readonly number[] {
  const step = steps.find((each) => length / each <= 9) ?? length / 8
  return Array.from({ length: Math.floor(length / step + 1e-9) + 1 }, (_, i) => i * step)
}

const unitOf = (lengthS: number): readonly [number, string] =>
  lengthS >= 3 * 3600 ? [3600, 'hours'] : lengthS >= 180 ? [60, 'minutes'] : [1, 'seconds']
