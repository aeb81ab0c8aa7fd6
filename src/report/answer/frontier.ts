import { type ChartPoint, type ChosenMark, type FrontierChart, frontierSvg } from '../../chart/index.ts'
import type { Choice, ChosenPoint, FrontierPoint, Plan } from '../../core/index.ts'
import type { Evidence } from '../../plan/index.ts'
import { chartOf } from '../frontier-chart.ts'
import type { Block } from './document.ts'

/** More ways than these, or longer names, hide the picture: then they stand there by their place in the table of the others. */
const MOST_NAMED = 4
const LONGEST_NAME = 20
/** Of them, so many are marked. */
const MOST_MARKED = 12

/** The frontier, the point that was chosen, the floor, and where other ways to serve would run. `evidence` is of what was chosen. */
export function choiceChart(choices: readonly Choice[], evidence?: Evidence): Block {
  const [first] = choices
  const name = 'The frontier'
  if (first === undefined || first.frontier.length === 0) return { kind: 'chart', name, svg: '', caption: '' }
  const isAmong = first.alternatives !== undefined
  const isOfOne = !isAmong && evidence !== undefined && evidence.points.length > 0
  const names = namesOf(first)
  const chart = isOfOne ? ofOne(choices, evidence) : ofSeveral(choices, first.frontier, names)
  const floors = choices.flatMap(({ product }) => product.tokensPerSecond ?? [])
  const [floor] = floors
  const others = choices.length > 1 ? [] : othersOf(first, chart.per, names)
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
      ...(names.isByPlace ? ['A number is the place in the table of the others; 1 is the choice.'] : []),
    ].join(' '),
  }
}

/** The load that a replica is planned with, and what each will have in the mean. */
export function planChart(plan: Plan, evidence: Evidence | undefined): Block {
  const name = 'The frontier of a replica'
  if (evidence === undefined || evidence.frontier.length === 0) return { kind: 'chart', name, svg: '', caption: '' }
  const { product, choice, perReplica, gpus, replicas } = plan
  const chosen = { product, choice }
  const chart = evidence.points.length > 0 ? ofOne([chosen], evidence) : ofSeveral([chosen], evidence.frontier, PLAIN)
  const { tokensPerSecond: floor } = product
  const real: ChosenMark | undefined =
    gpus === undefined || plan.arrivalsPerSecond === undefined
      ? undefined
      : {
          name: 'in the mean',
          concurrency: perReplica.inFlight,
          tokensPerSecondPerUser: perReplica.tokensPerSecondPerUser,
          outputTokensPerSecond: (perReplica.outputTokensPerSecond * replicas) / gpus,
        }
  return {
    kind: 'chart',
    name,
    svg: frontierSvg({
      ...chart,
      ...(floor !== undefined && { floor }),
      ...(real !== undefined && { others: [real] }),
    }),
    caption: [
      'To the right a user is faster, upward the hardware makes more. The ring is the load that a replica is planned with.',
      ...(real === undefined ? [] : ['The square is what each will have in the mean, since replicas come whole.']),
      ...(floor === undefined ? [] : ['To the left of the dotted line a user is slower than the floor.']),
    ].join(' '),
  }
}

const PLAIN: Names = { isByPlace: false, of: (name) => name }

interface Names {
  readonly isByPlace: boolean
  of(configuration: string): string
}

function namesOf({ choice, alternatives = [] }: Choice): Names {
  const all = [choice.configuration ?? '', ...alternatives.map(({ configuration }) => configuration)]
  const isByPlace = all.length > MOST_NAMED || all.some((name) => name.length > LONGEST_NAME)
  const places = new Map(all.map((name, i) => [name, String(i + 1)]))
  return { isByPlace, of: (name) => (isByPlace ? (places.get(name) ?? '') : name) }
}

const TITLE = 'The two speeds against each other'

type Chosen = Pick<Choice, 'product' | 'choice'>

function ofOne(choices: readonly Chosen[], evidence: Evidence): FrontierChart {
  const advice = choices.map((choice) => ({ product: choice.product, choice }))
  return chartOf(evidence, advice, TITLE, evidence.gpus === undefined ? 'server' : 'GPU')
}

function ofSeveral(choices: readonly Chosen[], frontier: readonly FrontierPoint[], names: Names): FrontierChart {
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
          label: point.configuration === byPace[i - 1]?.configuration ? '' : names.of(point.configuration),
        }),
      }),
    ),
    chosen: choices.map(({ product, choice }) => ({
      name: product.name === 'objective' ? 'choice' : product.name,
      ...markOf(choice, per),
    })),
  }
}

function othersOf({ alternatives = [] }: Choice, per: FrontierChart['per'], names: Names): readonly ChosenMark[] {
  return alternatives
    .flatMap(({ configuration, choice }) =>
      choice === undefined ? [] : [{ name: names.of(configuration), ...markOf(choice, per) }],
    )
    .slice(0, MOST_MARKED)
}

function markOf(point: ChosenPoint | FrontierPoint, per: FrontierChart['per']): Omit<ChosenMark, 'name'> {
  const { concurrency, tokensPerSecondPerUser, outputTokensPerSecond, tokensPerSecondPerGpu } = point
  return {
    concurrency,
    tokensPerSecondPerUser,
    outputTokensPerSecond: per === 'GPU' ? (tokensPerSecondPerGpu ?? outputTokensPerSecond) : outputTokensPerSecond,
  }
}
