import { type ChartPoint, type ChosenMark, type FrontierChart, frontierSvg } from '../../chart/index.ts'
import type { Choice, ChosenPoint, FrontierPoint } from '../../core/index.ts'
import type { Evidence } from '../../plan/index.ts'
import { chartOf } from '../frontier-chart.ts'
import type { Block } from './document.ts'

/** More names than these hide the picture. */
const MOST_NAMED = 6

/** The frontier, the point that was chosen, the floor, and where other ways to serve would run. `evidence` is of what was chosen. */
export function choiceChart(choices: readonly Choice[], evidence?: Evidence): Block {
  const [first] = choices
  const name = 'The frontier'
  if (first === undefined || first.frontier.length === 0) return { kind: 'chart', name, svg: '', caption: '' }
  const isAmong = first.alternatives !== undefined
  const isOfOne = !isAmong && evidence !== undefined && evidence.points.length > 0
  const chart = isOfOne ? ofOne(choices, evidence) : ofSeveral(choices, first.frontier)
  const floors = choices.flatMap(({ product }) => product.tokensPerSecond ?? [])
  const [floor] = floors
  const others = choices.length > 1 ? [] : othersOf(first, chart.per)
  return {
    kind: 'chart',
    name,
    svg: frontierSvg({ ...chart, ...(floors.length === 1 && floor !== undefined && { floor }), others }),
    caption: [
      'To the right a user is faster, upward the hardware makes more.',
      isOfOne
        ? 'Each point is a load that was measured.'
        : isAmong
          ? 'The line joins the points that no other is better than in both speeds, each with its way to serve; full ones were measured.'
          : 'The points are loads; full ones were measured.',
      'The ring is where to run.',
      ...(floors.length === 1 ? ['To the left of the dotted line a user is slower than the floor.'] : []),
      ...(others.length > 0 ? ['Squares are where the others would run.'] : []),
    ].join(' '),
  }
}

const TITLE = 'The two speeds against each other'

function ofOne(choices: readonly Choice[], evidence: Evidence): FrontierChart {
  const advice = choices.map((choice) => ({ product: choice.product, choice }))
  return chartOf(evidence, advice, TITLE, evidence.gpus === undefined ? 'server' : 'GPU')
}

function ofSeveral(choices: readonly Choice[], frontier: readonly FrontierPoint[]): FrontierChart {
  const per = frontier.every(({ tokensPerSecondPerGpu }) => tokensPerSecondPerGpu !== undefined) ? 'GPU' : 'server'
  const byPace = frontier.toSorted((a, b) => b.tokensPerSecondPerUser - a.tokensPerSecondPerUser)
  return {
    title: TITLE,
    per,
    points: byPace.map(
      (point, i): ChartPoint => ({
        ...markOf(point, per),
        kind: point.source === 'measured' ? 'measured' : 'foretold',
        ...(point.configuration !== undefined && {
          label: point.configuration === byPace[i - 1]?.configuration ? '' : point.configuration,
        }),
      }),
    ),
    chosen: choices.map(({ product, choice }) => ({ name: product.name, ...markOf(choice, per) })),
  }
}

function othersOf({ alternatives = [] }: Choice, per: FrontierChart['per']): readonly ChosenMark[] {
  return alternatives
    .flatMap(({ configuration, choice }) =>
      choice === undefined ? [] : [{ name: configuration, ...markOf(choice, per) }],
    )
    .slice(0, MOST_NAMED)
}

function markOf(point: ChosenPoint | FrontierPoint, per: FrontierChart['per']): Omit<ChosenMark, 'name'> {
  const { concurrency, tokensPerSecondPerUser, outputTokensPerSecond, tokensPerSecondPerGpu } = point
  return {
    concurrency,
    tokensPerSecondPerUser,
    outputTokensPerSecond: per === 'GPU' ? (tokensPerSecondPerGpu ?? outputTokensPerSecond) : outputTokensPerSecond,
  }
}
