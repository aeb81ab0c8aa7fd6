import { type Panel, panelsSvg } from './panels.ts'

/** What a fleet held at one instant. */
export interface OverTimePoint {
  /** Seconds from the chart's left edge. */
  readonly atS: number
  readonly running: number
  readonly waiting: number
  /** Of 1; absent where the KV cache has no limit. */
  readonly kvShare?: number
}

export interface OverTimeChart {
  readonly title: string
  /** Two at least, ascending. */
  readonly points: readonly OverTimePoint[]
}

/**
 * Requests that run and that wait, over time, and under them the share of the KV cache that is held.
 *
 *     ▲ running ──╲__╱──  waiting - - -
 *     ▲ KV cache  ──────╱──
 *     └──────────────────▶ s
 */
export function overTimeSvg({ title, points }: OverTimeChart): string {
  const most = Math.max(1, ...points.map(({ running, waiting }) => Math.max(running, waiting)))
  const hasCache = points.some(({ kvShare }) => kvShare !== undefined)
  const requests: Panel = {
    top: 34,
    bottom: 174,
    most: most * 1.05,
    lines: [
      { name: 'running', label: 'running', values: points.map(({ running }) => running) },
      { name: 'waiting', label: 'waiting', values: points.map(({ waiting }) => waiting) },
    ],
  }
  const cache: Panel = {
    top: 218,
    bottom: 288,
    most: 1,
    ticks: [0, 0.5, 1],
    tick: (value) => `${100 * value} %`,
    lines: [{ name: 'cache', label: 'KV cache held', values: points.map(({ kvShare }) => kvShare) }],
  }
  return panelsSvg({
    title,
    at: points.map(({ atS }) => atS),
    across: 'seconds into the window',
    panels: hasCache ? [requests, cache] : [requests],
  })
}
