import { figure } from '../core/index.ts'
import type { ChartPoint, ChosenMark, FrontierChart } from './frontier-data.ts'
import { type Box, type Label, placeLabels } from './labels.ts'
import { FRAME, isInside, isOfLine, lawAt, lawSpan, type Scales } from './scales.ts'
import { element, escapeText } from './svg.ts'

const SMALL = 12
const LARGE = 13

interface StyledLabel extends Label {
  readonly style: string
}

/** Direct labels in place of a legend. Those of chosen points come first: they are what a reader looks for. */
export function frontierLabels(scales: Scales, chart: FrontierChart): string {
  const wanted = [
    ...chosenLabels(scales, chart),
    ...floorLabel(scales, chart),
    ...otherLabels(scales, chart),
    ...limitLabels(scales, chart),
    ...pointLabels(scales, chart),
  ]
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

const spots = ({ x, y }: Scales, { points, chosen = [], others = [] }: FrontierChart): readonly Box[] => [
  ...points.map((p) => spot(x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond), 6)),
  ...chosen.map((p) => spot(x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond), 10)),
  ...others.map((p) => spot(x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond), 7)),
]

/** The line that is drawn, as a string of small obstacles: no label is to be struck through. */
function lineSpots(scales: Scales, { law, points }: FrontierChart): readonly Box[] {
  const { x, y } = scales
  const corners =
    law === undefined
      ? points.filter(isOfLine).map((p) => [x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond)] as const)
      : (lawSpan(law, scales) ?? []).map((pace) => [x(pace), y(lawAt(law, pace))] as const)
  return corners.slice(1).flatMap(([toX, toY], i) => {
    const [fromX, fromY] = corners[i] ?? [toX, toY]
    const steps = Math.max(1, Math.ceil(Math.hypot(toX - fromX, toY - fromY) / 8))
    return Array.from({ length: steps + 1 }, (_, step) => {
      const share = step / steps
      return spot(fromX + share * (toX - fromX), fromY + share * (toY - fromY), 2)
    })
  })
}

/** Points that lie on each other share a label: `4, 8, 16`. */
function pointLabels({ x, y }: Scales, { points, chosen = [] }: FrontierChart): StyledLabel[] {
  const groups: { px: number; py: number; kind: string; loads: string[]; isAsked: boolean }[] = []
  for (const point of points) {
    if (point.label === '' || chosen.some((mark) => isSame(mark, point))) continue
    const [px, py] = [x(point.tokensPerSecondPerUser), y(point.outputTokensPerSecond)]
    const near = groups.find((group) => group.kind === point.kind && Math.hypot(group.px - px, group.py - py) < 14)
    const own = point.label ?? point.asked
    const load = own ?? figure(point.concurrency)
    if (near !== undefined) near.loads.push(load)
    else groups.push({ px, py, kind: point.kind, loads: [load], isAsked: own !== undefined })
  }
  return groups.map(({ px, py, kind, loads, isAsked }, i) => {
    const unit = i === 0 && !isAsked ? ' in flight' : ''
    const why = kind === 'beyondLimit' ? ": beyond the server's limit" : kind === 'doubtful' ? ': doubtful' : unit
    return { text: `${loads.join(', ')}${why}`, x: px, y: py, size: SMALL, style: `label ${kind}` }
  })
}

/** Of several ways to serve, loads that are equal are not one point. */
const isSame = (a: ChosenMark, b: ChartPoint): boolean =>
  a.concurrency === b.concurrency && Math.abs(a.tokensPerSecondPerUser / b.tokensPerSecondPerUser - 1) < 0.05

function floorLabel({ x, y }: Scales, { floor }: FrontierChart): StyledLabel[] {
  if (floor === undefined || !isInside(x, floor)) return []
  const [, top = 0] = y.domain()
  return [{ text: `floor ${figure(floor)}`, x: x(floor), y: y(top) + 8, size: SMALL, style: 'label limit' }]
}

const otherLabels = ({ x, y }: Scales, { others = [] }: FrontierChart): StyledLabel[] =>
  others.map((mark) => ({
    text: mark.name,
    x: x(mark.tokensPerSecondPerUser),
    y: y(mark.outputTokensPerSecond),
    size: SMALL,
    clear: 4,
    style: 'label other',
  }))

function chosenLabels({ x, y }: Scales, { chosen = [] }: FrontierChart): StyledLabel[] {
  const loads = [...new Set(chosen.map((mark) => mark.concurrency))]
  return loads.flatMap((load) => {
    const same = chosen.filter((mark) => mark.concurrency === load)
    const [first] = same
    if (first === undefined) return []
    const text = `${same.map(({ name }) => name).join(' and ')}: ${first.asked ?? `${figure(load)} in flight`}`
    return [
      {
        text,
        x: x(first.tokensPerSecondPerUser),
        y: y(first.outputTokensPerSecond),
        size: LARGE,
        clear: 8,
        style: 'label chosen',
      },
    ]
  })
}

function limitLabels({ x, y }: Scales, { law }: FrontierChart): StyledLabel[] {
  if (law === undefined || law.trust === 'refuted') return []
  return [
    { text: `solo limit ${figure(law.soloLimit)}`, x: x(law.soloLimit), y: y(0), size: SMALL, style: 'label limit' },
    { text: `ceiling ${figure(law.ceiling)}`, x: x(0), y: y(law.ceiling), size: SMALL, style: 'label limit' },
  ]
}
