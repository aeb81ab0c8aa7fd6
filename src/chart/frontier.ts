import { line } from 'd3-shape'
import { figure } from '../core/index.ts'
import { axes } from './axes.ts'
import type { BandPoint, ChartPoint, ChosenMark, FrontierChart } from './frontier-data.ts'
import { frontierLabels } from './frontier-labels.ts'
import { FRAME, HEIGHT, isInside, isOfLine, lawAt, lawSpan, type Scales, scalesOf, WIDTH } from './scales.ts'
import { STYLE } from './style.ts'
import { type Attributes, element, escapeText } from './svg.ts'

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
    floorLine(scales, chart),
    band(scales, chart.band ?? [], id),
    lawLine(scales, chart),
    marks(scales, chart),
    frontierLabels(scales, chart),
  )
}

/** What a person who cannot see the chart must know. */
function description({ points, law, per, chosen = [], others = [], floor }: FrontierChart): string {
  const told = points.map(
    (point) =>
      `${inFlight(point)}: ${speeds(point, per)}${point.kind === 'beyondLimit' ? " (beyond the server's limit)" : ''}`,
  )
  return [
    `Tokens per second per user against tokens per second per ${per}. ${told.join('; ')}.`,
    law === undefined
      ? ''
      : law.trust === 'refuted'
        ? 'The law is not reliable here: the points miss it.'
        : `The law runs from ${figure(law.soloLimit)} per user to ${figure(law.ceiling)} per ${per}.`,
    floor === undefined ? '' : `The floor is ${figure(floor)} per user.`,
    ...chosen.map((mark) => `Chosen for ${mark.name}: ${inFlight(mark)}.`),
    ...others.map((mark) => `${mark.name} would run at ${speeds(mark, per)}.`),
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const speeds = (
  { tokensPerSecondPerUser, outputTokensPerSecond }: Omit<ChosenMark, 'name'>,
  per: FrontierChart['per'],
): string => `${figure(tokensPerSecondPerUser)} per user, ${figure(outputTokensPerSecond)} per ${per}`

const inFlight = ({ asked, concurrency }: Pick<ChartPoint, 'asked' | 'concurrency'>): string =>
  asked === undefined ? `${figure(concurrency)} in flight` : `${asked} (${figure(concurrency)} in flight)`

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

/** To the left of it a user is too slow. */
function floorLine({ x }: Scales, { floor }: FrontierChart): string {
  if (floor === undefined || !isInside(x, floor)) return ''
  return element('line', { class: 'floor', x1: x(floor), x2: x(floor), y1: FRAME.top, y2: FRAME.bottom })
}

const rounded = (path: string | null): string =>
  (path ?? '').replace(/\d+\.\d+/g, (digits) => Number(digits).toFixed(1))

function lawLine(scales: Scales, { law, points }: FrontierChart): string {
  const { x, y } = scales
  if (law === undefined) {
    const through = line()(
      points.filter(isOfLine).map((p) => [x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond)]),
    )
    return through === null ? '' : element('path', { class: 'through', d: rounded(through) })
  }
  const paces = points.filter(({ kind }) => kind === 'measured').map((point) => point.tokensPerSecondPerUser)
  const piece = (from: number, to: number, style: string): string => {
    return element('line', { class: style, x1: x(from), y1: y(lawAt(law, from)), x2: x(to), y2: y(lawAt(law, to)) })
  }
  const within = (pace: number): number => Math.min(Math.max(pace, 0), law.soloLimit)
  const [slow, fast] = [within(Math.min(...paces)), within(Math.max(...paces))]
  const span = lawSpan(law, scales)
  return [
    ...(span === undefined ? [] : [piece(...span, 'law-beyond')]),
    ...(law.trust === 'reliable' && paces.length > 0 ? [piece(slow, fast, 'law')] : []),
  ].join('')
}

function marks({ x, y }: Scales, { points, chosen = [], others = [] }: FrontierChart): string {
  const diamond = (px: number, py: number): string =>
    element('path', { class: 'beyond-limit', d: `M${px.toFixed(1)},${(py - 6).toFixed(1)}l6,6l-6,6l-6,-6Z` })
  const drawn = points.map((point) => {
    const [px, py] = [x(point.tokensPerSecondPerUser), y(point.outputTokensPerSecond)]
    if (point.kind === 'beyondLimit') return diamond(px, py)
    return element('circle', { class: point.kind, cx: px, cy: py, r: point.kind === 'foretold' ? 3 : 4.5 })
  })
  const squares = others.map((mark) =>
    element('rect', {
      class: 'other',
      x: x(mark.tokensPerSecondPerUser) - 5,
      y: y(mark.outputTokensPerSecond) - 5,
      width: 10,
      height: 10,
    }),
  )
  const rings = chosen.map((mark) =>
    element('circle', { class: 'chosen', cx: x(mark.tokensPerSecondPerUser), cy: y(mark.outputTokensPerSecond), r: 9 }),
  )
  return element('g', {}, ...points.map((point) => errorBars({ x, y }, point)), ...drawn, ...squares, ...rings)
}

function errorBars(
  { x, y }: Scales,
  { tokensPerSecondPerUser, outputTokensPerSecond, pace, output }: ChartPoint,
): string {
  const [px, py] = [x(tokensPerSecondPerUser), y(outputTokensPerSecond)]
  const bar = (x1: number, y1: number, x2: number, y2: number): string =>
    element('line', { class: 'error', x1, y1, x2, y2 })
  return [
    ...(pace === undefined ? [] : [bar(x(pace.low), py, x(pace.high), py)]),
    ...(output === undefined ? [] : [bar(px, y(output.low), px, y(output.high))]),
  ].join('')
}
