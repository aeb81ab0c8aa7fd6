import { type ScaleLinear, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { figure } from '../core/index.ts'
import { type Box, type Label, placeLabels } from './labels.ts'
import { STYLE } from './style.ts'
import { type Attributes, element, escapeText } from './svg.ts'

/** One load on the chart. */
export interface ChartPoint {
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  /** Per GPU, or of the server where GPUs are unknown: as `per` says. */
  readonly outputTokensPerSecond: number
  /** `beyondLimit`: more load than the server decodes at once. `doubtful`: its speed is not the server's own. */
  readonly kind: 'measured' | 'beyondLimit' | 'doubtful'
}

/** The law at one load, with the interval of the pace. */
export interface BandPoint {
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
  readonly low: number
  readonly high: number
}

export interface ChosenMark {
  readonly name: string
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
}

export interface FrontierChart {
  readonly title: string
  /** What the second speed is per: `GPU`, or `server` where the GPUs are unknown. */
  readonly per: 'GPU' | 'server'
  readonly points: readonly ChartPoint[]
  /** The straight line from (soloLimit, 0) to (0, ceiling); dashed throughout when it is not to be relied on. */
  readonly law?: { readonly soloLimit: number; readonly ceiling: number; readonly reliable: boolean }
  /** Ascending by load. */
  readonly band?: readonly BandPoint[]
  readonly chosen?: readonly ChosenMark[]
  /** Makes ids unique where several charts share a page. */
  readonly id?: string
}

const WIDTH = 760
const HEIGHT = 470
const FRAME: Box = { left: 66, top: 40, right: WIDTH - 22, bottom: HEIGHT - 54 }
const SMALL = 12
const LARGE = 13

type Scale = ScaleLinear<number, number>
interface Scales {
  readonly x: Scale
  readonly y: Scale
}

/**
 * The two speeds against each other: pace of a user to the right, throughput up, a point per measured load, the law as the straight
 * line that it is, the points chosen. A string of SVG that needs nothing else, the same for the same data.
 */
export function frontierSvg(chart: FrontierChart): string {
  const scales = scalesOf(chart)
  const id = chart.id ?? 'frontier'
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'ts-frontier',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: 'img',
      'aria-labelledby': `${id}-title ${id}-desc`,
    },
    element('title', { id: `${id}-title` }, escapeText(chart.title)),
    element('desc', { id: `${id}-desc` }, escapeText(description(chart))),
    element('style', {}, STYLE),
    axes(scales, chart.per),
    element('clipPath', { id: `${id}-frame` }, element('rect', frameRect())),
    band(scales, chart.band ?? [], id),
    lawLine(scales, chart),
    marks(scales, chart),
    labels(scales, chart),
  )
}

function scalesOf({ points, law, band: interval = [], chosen = [] }: FrontierChart): Scales {
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

/** What a person who cannot see the chart must know. */
function description({ points, law, per, chosen = [] }: FrontierChart): string {
  const told = points.map(
    (point) =>
      `${figure(point.concurrency)} in flight: ${figure(point.tokensPerSecondPerUser)} per user, ${figure(point.outputTokensPerSecond)} per ${per}${point.kind === 'beyondLimit' ? " (beyond the server's limit)" : ''}`,
  )
  return [
    `Tokens per second per user against tokens per second per ${per}. ${told.join('; ')}.`,
    law === undefined
      ? ''
      : `The law runs from ${figure(law.soloLimit)} per user to ${figure(law.ceiling)} per ${per}.`,
    ...chosen.map(({ name, concurrency }) => `Chosen for ${name}: ${figure(concurrency)} in flight.`),
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function axes({ x, y }: Scales, per: string): string {
  const { left, right, top, bottom } = FRAME
  const columns = x
    .ticks(7)
    .map((value) =>
      [
        element('line', { class: 'grid', x1: x(value), x2: x(value), y1: top, y2: bottom }),
        element('text', { class: 'tick', x: x(value), y: bottom + 18, 'text-anchor': 'middle' }, figure(value)),
      ].join(''),
    )
  const rows = y
    .ticks(6)
    .map((value) =>
      [
        element('line', { class: 'grid', x1: left, x2: right, y1: y(value), y2: y(value) }),
        element('text', { class: 'tick', x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, figure(value)),
      ].join(''),
    )
  return element(
    'g',
    {},
    ...columns,
    ...rows,
    element(
      'text',
      { class: 'axis', x: right, y: bottom + 40, 'text-anchor': 'end' },
      'tok/s per user: how fast one stream runs →',
    ),
    element('text', { class: 'axis', x: 14, y: 20 }, `↑ tok/s per ${per}: what all streams make together`),
  )
}

const frameRect = (): Attributes => ({
  x: FRAME.left,
  y: FRAME.top,
  width: FRAME.right - FRAME.left,
  height: FRAME.bottom - FRAME.top,
})

/** At a fixed load an error of the pace moves a point along the ray from the origin: both speeds are off by the same factor. */
function band({ x, y }: Scales, points: readonly BandPoint[], id: string): string {
  if (points.length < 2) return ''
  const along = (to: (point: BandPoint) => number): [number, number][] =>
    points.map((point) => [x(to(point)), y((point.outputTokensPerSecond * to(point)) / point.tokensPerSecondPerUser)])
  const outline = line()([...along((point) => point.high), ...along((point) => point.low).reverse()])
  return element('path', { class: 'band', d: `${rounded(outline)}Z`, 'clip-path': `url(#${id}-frame)` })
}

const rounded = (path: string | null): string =>
  (path ?? '').replace(/\d+\.\d+/g, (digits) => Number(digits).toFixed(1))

function lawLine({ x, y }: Scales, { law, points }: FrontierChart): string {
  if (law === undefined) {
    const through = line()(
      points
        .filter(({ kind }) => kind === 'measured')
        .map((p) => [x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond)]),
    )
    return through === null ? '' : element('path', { class: 'through', d: rounded(through) })
  }
  const paces = points.filter(({ kind }) => kind === 'measured').map((point) => point.tokensPerSecondPerUser)
  const at = (pace: number): { px: number; py: number } => ({
    px: x(pace),
    py: y(law.ceiling * (1 - pace / law.soloLimit)),
  })
  const piece = (from: number, to: number, style: string): string => {
    const [a, b] = [at(from), at(to)]
    return element('line', { class: style, x1: a.px, y1: a.py, x2: b.px, y2: b.py })
  }
  const within = (pace: number): number => Math.min(Math.max(pace, 0), law.soloLimit)
  const [slow, fast] = [within(Math.min(...paces)), within(Math.max(...paces))]
  return [
    piece(0, law.soloLimit, 'law-beyond'),
    ...(law.reliable && paces.length > 0 ? [piece(slow, fast, 'law')] : []),
  ].join('')
}

function marks({ x, y }: Scales, { points, chosen = [] }: FrontierChart): string {
  const diamond = (px: number, py: number): string =>
    element('path', { class: 'beyond-limit', d: `M${px.toFixed(1)},${(py - 6).toFixed(1)}l6,6l-6,6l-6,-6Z` })
  const drawn = points.map((point) => {
    const [px, py] = [x(point.tokensPerSecondPerUser), y(point.outputTokensPerSecond)]
    if (point.kind === 'beyondLimit') return diamond(px, py)
    return element('circle', { class: point.kind, cx: px, cy: py, r: 4.5 })
  })
  const rings = chosen.map((mark) =>
    element('circle', { class: 'chosen', cx: x(mark.tokensPerSecondPerUser), cy: y(mark.outputTokensPerSecond), r: 9 }),
  )
  return element('g', {}, ...drawn, ...rings)
}

interface StyledLabel extends Label {
  readonly style: string
}

/** Direct labels in place of a legend. Those of chosen points come first: they are what a reader looks for. */
function labels(scales: Scales, chart: FrontierChart): string {
  const wanted = [...chosenLabels(scales, chart), ...limitLabels(scales, chart), ...pointLabels(scales, chart)]
  return placeLabels(wanted, [...spots(scales, chart), ...lineSpots(scales, chart)], FRAME)
    .map((placed, i) =>
      element(
        'text',
        {
          class: wanted[i]?.style,
          x: placed.textX,
          y: placed.textY,
          'text-anchor': placed.anchor,
          'font-size': placed.size,
        },
        escapeText(placed.text),
      ),
    )
    .join('')
}

const spot = (px: number, py: number, half: number): Box => ({
  left: px - half,
  right: px + half,
  top: py - half,
  bottom: py + half,
})

const spots = ({ x, y }: Scales, { points, chosen = [] }: FrontierChart): readonly Box[] => [
  ...points.map((p) => spot(x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond), 6)),
  ...chosen.map((p) => spot(x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond), 10)),
]

/** The law as a string of small obstacles: no label is to be struck through. */
function lineSpots({ x, y }: Scales, { law }: FrontierChart): readonly Box[] {
  if (law === undefined) return []
  return Array.from({ length: 81 }, (_, i) => spot(x((law.soloLimit * i) / 80), y(law.ceiling * (1 - i / 80)), 2))
}

/** Points that lie on each other share a label: `4, 8, 16`. */
function pointLabels({ x, y }: Scales, { points, chosen = [] }: FrontierChart): StyledLabel[] {
  const groups: { px: number; py: number; kind: string; loads: number[] }[] = []
  for (const point of points) {
    if (chosen.some((mark) => mark.concurrency === point.concurrency)) continue
    const [px, py] = [x(point.tokensPerSecondPerUser), y(point.outputTokensPerSecond)]
    const near = groups.find((group) => group.kind === point.kind && Math.hypot(group.px - px, group.py - py) < 14)
    if (near === undefined) groups.push({ px, py, kind: point.kind, loads: [point.concurrency] })
    else near.loads.push(point.concurrency)
  }
  return groups.map(({ px, py, kind, loads }, i) => {
    const unit = i === 0 ? ' in flight' : ''
    const why = kind === 'beyondLimit' ? ": beyond the server's limit" : kind === 'doubtful' ? ': doubtful' : unit
    return { text: `${loads.map(figure).join(', ')}${why}`, x: px, y: py, size: SMALL, style: `label ${kind}` }
  })
}

function chosenLabels({ x, y }: Scales, { chosen = [] }: FrontierChart): StyledLabel[] {
  const loads = [...new Set(chosen.map((mark) => mark.concurrency))]
  return loads.flatMap((load) => {
    const same = chosen.filter((mark) => mark.concurrency === load)
    const [first] = same
    if (first === undefined) return []
    const text = `${same.map(({ name }) => name).join(' and ')}: ${figure(load)} in flight`
    return [
      {
        text,
        x: x(first.tokensPerSecondPerUser),
        y: y(first.outputTokensPerSecond),
        size: LARGE,
        style: 'label chosen',
      },
    ]
  })
}

function limitLabels({ x, y }: Scales, { law }: FrontierChart): StyledLabel[] {
  if (law === undefined) return []
  return [
    { text: `solo limit ${figure(law.soloLimit)}`, x: x(law.soloLimit), y: y(0), size: SMALL, style: 'label limit' },
    { text: `ceiling ${figure(law.ceiling)}`, x: x(0), y: y(law.ceiling), size: SMALL, style: 'label limit' },
  ]
}
