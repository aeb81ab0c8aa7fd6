import { scaleLinear } from 'd3-scale'
import { figure } from '../core/index.ts'
import { element, escapeText } from './svg.ts'

const WIDTH = 760
const LEFT = 66
const RIGHT = WIDTH - 22

/** Lines on one scale, which is of them alone. */
export interface Panel {
  readonly top: number
  readonly bottom: number
  /** The scale goes from 0 to here. */
  readonly most: number
  readonly ticks?: readonly number[]
  readonly tick?: (value: number) => string
  readonly lines: readonly PanelLine[]
}

interface PanelLine {
  /** By which it has its colour. */
  readonly name: 'running' | 'waiting' | 'cache' | 'arrivals' | 'fixed' | 'following' | 'needed'
  readonly label: string
  /** One for each instant. */
  readonly values: readonly (number | undefined)[]
  /** Holds until the next instant, and then leaps. */
  readonly isStep?: boolean
}

export interface Panels {
  readonly title: string
  /** To the right, ascending, in the unit that `across` names. */
  readonly at: readonly number[]
  readonly across: string
  /** What stands beneath; absent: at round figures. */
  readonly ticks?: readonly number[]
  readonly panels: readonly Panel[]
}

/** Of lines and of their names. */
const colour = (names: readonly string[], name: string): string =>
  `${names.map((each) => `.ts-time .${each}`).join()}{stroke:var(--${name})}${names.map((each) => `.ts-time text.${each}`).join()}{stroke:none;fill:var(--${name});font-weight:600}`

const STYLE = `
.ts-time{--ink:#1f2328;--mute:#59636e;--rule:#d8dee4;--blue:#0072b2;--red:#d55e00;--green:#00745a;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.ts-time{--ink:#e6edf3;--mute:#9aa4af;--rule:#343b44;--blue:#56b4e9;--red:#f0883e;--green:#3fd0a4}}
.ts-time .grid{stroke:var(--rule)}
.ts-time text{fill:var(--mute);font-variant-numeric:tabular-nums}
.ts-time polyline{fill:none;stroke-width:1.8;stroke-linejoin:round}
${colour(['running', 'arrivals', 'following'], 'blue')}
${colour(['waiting', 'needed'], 'red')}
${colour(['cache', 'fixed'], 'green')}
.ts-time polyline.waiting,.ts-time polyline.needed{stroke-dasharray:5 3}
`.trim()

/** What is over time, one panel under the other over one axis. A string of SVG that needs nothing else, the same for the same data. */
export function panelsSvg({ title, at, across, ticks, panels }: Panels): string {
  const x = scaleLinear([0, at.at(-1) || 1], [LEFT, RIGHT])
  const bottom = Math.max(...panels.map((panel) => panel.bottom))
  const times = (ticks ?? x.ticks(7)).map((value) =>
    element('text', { x: x(value), y: bottom + 18, 'text-anchor': 'middle' }, figure(value)),
  )
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', class: 'ts-time', viewBox: `0 0 ${WIDTH} ${bottom + 46}`, role: 'img' },
    element('title', {}, escapeText(title)),
    element('style', {}, STYLE),
    ...panels.map((panel) => drawn(panel, at.map(x))),
    ...times,
    element('text', { x: RIGHT, y: bottom + 38, 'text-anchor': 'end' }, `${across} →`),
  )
}

function drawn({ top, bottom, most, ticks, tick = figure, lines }: Panel, at: readonly number[]): string {
  const y = scaleLinear([0, most], [bottom, top])
  const rows = (ticks ?? y.ticks(4)).map(
    (value) =>
      element('line', { class: 'grid', x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value) }) +
      element('text', { x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end' }, tick(value)),
  )
  const ways = lines.map(({ name, values, isStep }) => {
    let before: string | undefined
    const places = at.flatMap((px, i) => {
      const value = values[i]
      if (value === undefined) return []
      const leap = isStep === true && before !== undefined ? [`${px.toFixed(1)},${before}`] : []
      before = y(value).toFixed(1)
      return [...leap, `${px.toFixed(1)},${before}`]
    })
    return element('polyline', { class: name, points: places.join(' ') })
  })
  let left = LEFT
  const names = lines.map(({ name, label }) => {
    const text = element('text', { class: name, x: left, y: top - 14 }, escapeText(label))
    left += 7 * label.length + 21
    return text
  })
  return [...rows, ...ways, ...names].join('')
}
