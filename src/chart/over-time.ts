import { scaleLinear } from 'd3-scale'
import { figure } from '../core/index.ts'
import { element, escapeText } from './svg.ts'

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

const WIDTH = 760
const LEFT = 66
const RIGHT = WIDTH - 22
/** Top and bottom of the upper panel, requests, and of the lower one, the KV cache. */
const REQUESTS = { top: 34, bottom: 174 } as const
const CACHE = { top: 218, bottom: 288 } as const

const STYLE = `
.ts-time{--ink:#1f2328;--mute:#59636e;--rule:#d8dee4;--blue:#0072b2;--red:#d55e00;--green:#00745a;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.ts-time{--ink:#e6edf3;--mute:#9aa4af;--rule:#343b44;--blue:#56b4e9;--red:#f0883e;--green:#3fd0a4}}
.ts-time .grid{stroke:var(--rule)}
.ts-time text{fill:var(--mute);font-variant-numeric:tabular-nums}
.ts-time polyline{fill:none;stroke-width:1.8;stroke-linejoin:round}
.ts-time .running{stroke:var(--blue)}.ts-time text.running{stroke:none;fill:var(--blue);font-weight:600}
.ts-time .waiting{stroke:var(--red);stroke-dasharray:5 3}.ts-time text.waiting{stroke:none;fill:var(--red);font-weight:600}
.ts-time .cache{stroke:var(--green)}.ts-time text.cache{stroke:none;fill:var(--green);font-weight:600}
`.trim()

/**
 * Requests that run and that wait, over time, and under them the share of the KV cache that is held.
 *
 *     ▲ running ──╲__╱──  waiting - - -
 *     ▲ KV cache  ──────╱──
 *     └──────────────────▶ s
 */
export function overTimeSvg({ title, points }: OverTimeChart): string {
  const last = points.at(-1)?.atS ?? 1
  const x = scaleLinear([0, last || 1], [LEFT, RIGHT])
  const most = Math.max(1, ...points.map(({ running, waiting }) => Math.max(running, waiting)))
  const count = scaleLinear([0, most * 1.05], [REQUESTS.bottom, REQUESTS.top])
  const share = scaleLinear([0, 1], [CACHE.bottom, CACHE.top])
  const hasCache = points.some(({ kvShare }) => kvShare !== undefined)
  const bottom = hasCache ? CACHE.bottom : REQUESTS.bottom
  const line = (name: string, y: (point: OverTimePoint) => number | undefined): string => {
    const places = points.flatMap((point) => {
      const at = y(point)
      return at === undefined ? [] : [`${x(point.atS).toFixed(1)},${at.toFixed(1)}`]
    })
    return element('polyline', { class: name, points: places.join(' ') })
  }
  const row = (y: number, label: string): string =>
    element('line', { class: 'grid', x1: LEFT, x2: RIGHT, y1: y, y2: y }) +
    element('text', { x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, label)
  const times = x
    .ticks(7)
    .map((value) => element('text', { x: x(value), y: bottom + 18, 'text-anchor': 'middle' }, figure(value)))
  const height = bottom + 46
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', class: 'ts-time', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img' },
    element('title', {}, escapeText(title)),
    element('style', {}, STYLE),
    ...count.ticks(4).map((value) => row(count(value), figure(value))),
    line('running', ({ running }) => count(running)),
    line('waiting', ({ waiting }) => count(waiting)),
    element('text', { class: 'running', x: LEFT, y: 20 }, 'running'),
    element('text', { class: 'waiting', x: LEFT + 70, y: 20 }, 'waiting'),
    ...(hasCache
      ? [
          ...[0, 0.5, 1].map((value) => row(share(value), `${100 * value} %`)),
          line('cache', ({ kvShare }) => (kvShare === undefined ? undefined : share(kvShare))),
          element('text', { class: 'cache', x: LEFT, y: CACHE.top - 12 }, 'KV cache held'),
        ]
      : []),
    ...times,
    element('text', { x: RIGHT, y: bottom + 38, 'text-anchor': 'end' }, 'seconds into the window →'),
  )
}
