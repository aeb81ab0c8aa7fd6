import { figure } from '../core/index.ts'
import type { FrontierChart } from './frontier-data.ts'
import { type Box, type Label, placeLabels } from './labels.ts'
import { FRAME, lawAt, lawSpan, type Scales } from './scales.ts'
import { element, escapeText } from './svg.ts'

const SMALL = 12
const LARGE = 13

interface StyledLabel extends Label {
  readonly style: string
}

/** Direct labels in place of a legend. Those of chosen points come first: they are what a reader looks for. */
export function frontierLabels(scales: Scales, chart: FrontierChart): string {
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

/** The line that is drawn, as a string of small obstacles: no label is to be struck through. */
function lineSpots(scales: Scales, { law, points }: FrontierChart): readonly Box[] {
  const { x, y } = scales
  const corners =
    law === undefined
      ? points
          .filter(({ kind }) => kind === 'measured')
          .map((p) => [x(p.tokensPerSecondPerUser), y(p.outputTokensPerSecond)] as const)
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
    if (chosen.some((mark) => mark.concurrency === point.concurrency)) continue
    const [px, py] = [x(point.tokensPerSecondPerUser), y(point.outputTokensPerSecond)]
    const near = groups.find((group) => group.kind === point.kind && Math.hypot(group.px - px, group.py - py) < 14)
    const load = point.asked ?? figure(point.concurrency)
    if (near !== undefined) near.loads.push(load)
    else groups.push({ px, py, kind: point.kind, loads: [load], isAsked: point.asked !== undefined })
  }
  return groups.map(({ px, py, kind, loads, isAsked }, i) => {
    const unit = i === 0 && !isAsked ? ' in flight' : ''
    const why = kind === 'beyondLimit' ? ": beyond the server's limit" : kind === 'doubtful' ? ': doubtful' : unit
    return { text: `${loads.join(', ')}${why}`, x: px, y: py, size: SMALL, style: `label ${kind}` }
  })
}

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
