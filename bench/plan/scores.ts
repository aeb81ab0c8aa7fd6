/** How often a plan's word on its fleet is true, and what other ways to size one come to. */
import type { Mark } from '../results.ts'
import { type PlanAnswer, planAnswer, type Size, type Told } from './answers.ts'
import { planQuestions } from './questions.ts'
import type { Truth } from './truth.ts'

export interface SizingScore {
  readonly by: Sizing
  readonly fleets: number
  /** Of the fleets: the share has all of the objective. */
  readonly holdPct: number
  /** Replicas of all together, over those of the fewest that hold. */
  readonly timesFewest: number
}

export interface ToldScore {
  readonly fleet: 'mean' | 'peak'
  readonly fleets: number
  /** What the fleet does lies in the interval that the plan tells, up to its own error. */
  readonly insidePct: number
  /** Fleets that neither all nor none of the requests are content with, and of these the same. */
  readonly undecided: number
  readonly undecidedInsidePct: number
  readonly medianOffPct: number
}

export interface PlanResult {
  readonly marks: readonly Mark[]
  readonly told: readonly ToldScore[]
  readonly sizings: readonly SizingScore[]
  /** The fewest that the plan names hold, and one fewer do not: of those of more than the mean's, which it tries no fewer of. */
  readonly fewest: {
    readonly fleets: number
    readonly holdPct: number
    readonly tight: number
    readonly tightPct: number
  }
  readonly answers: readonly PlanAnswer[]
}

const SIZINGS = ['naive', 'mean', 'arithmetic', 'planned'] as const
type Sizing = (typeof SIZINGS)[number]

export const planAccuracy = (): PlanResult => planScores(planQuestions().map(planAnswer))

export function planScores(answers: readonly PlanAnswer[]): PlanResult {
  if (answers.length === 0) throw new Error('nothing was planned')
  const told = [
    toldScore('mean', answers, ({ toldOfMean, mean }) => [toldOfMean, mean.truth]),
    toldScore('peak', answers, ({ toldOfPeak, arithmetic }) => [toldOfPeak, arithmetic.truth]),
  ]
  const sizings = SIZINGS.map((by) => sizingScore(by, answers))
  const named = answers.flatMap(({ fewest }) => fewest ?? [])
  const tight = answers.flatMap(({ oneFewer }) => oneFewer ?? [])
  const fewest = {
    fleets: named.length,
    holdPct: share(named, ({ holds }) => holds),
    tight: tight.length,
    tightPct: share(tight, ({ holds }) => !holds),
  }
  return { marks: marksOf(told, sizings), told, sizings, fewest, answers }
}

/** What the fleet does is known to so many standard errors, and to rounding. */
const ERRORS = 2
const ROUNDING = 1e-6

function toldScore(
  fleet: ToldScore['fleet'],
  answers: readonly PlanAnswer[],
  of: (answer: PlanAnswer) => readonly [Told, Truth],
): ToldScore {
  const pairs = answers.map(of)
  const isInside = ([{ interval }, { attainment, error }]: readonly [Told, Truth]): boolean =>
    attainment >= interval.low - ERRORS * error - ROUNDING && attainment <= interval.high + ERRORS * error + ROUNDING
  const undecided = pairs.filter(([, { attainment }]) => attainment > 0.01 && attainment < 0.99)
  const offs = pairs.map(([{ attainment }, truth]) => Math.abs(attainment - truth.attainment)).sort((a, b) => a - b)
  return {
    fleet,
    fleets: pairs.length,
    insidePct: share(pairs, isInside),
    undecided: undecided.length,
    undecidedInsidePct: share(undecided, isInside),
    medianOffPct: 100 * (offs[offs.length >> 1] ?? 0),
  }
}

function sizingScore(by: Sizing, answers: readonly PlanAnswer[]): SizingScore {
  const known = answers.flatMap((answer) => (answer.fewest === undefined ? [] : [[answer[by], answer.fewest] as const]))
  const replicas = (sizes: readonly Size[]): number => sizes.reduce((sum, size) => sum + size.replicas, 0)
  return {
    by,
    fleets: answers.length,
    holdPct: share(answers, (answer) => answer[by].holds),
    timesFewest: replicas(known.map(([size]) => size)) / replicas(known.map(([, least]) => least)),
  }
}

/** Of 100: what an interval of 19 in 20 may miss by chance over some dozens of fleets, and what a plan is for. */
const INSIDE = 90
const HOLD = 95

function marksOf(told: readonly ToldScore[], sizings: readonly SizingScore[]): readonly Mark[] {
  const planned = sizings.find(({ by }) => by === 'planned')
  return [
    ...told.map(({ fleet, insidePct }) =>
      mark(`Attainment inside the plan's interval, fleet of the ${fleet}`, insidePct, INSIDE),
    ),
    mark('Planned fleets that hold the share', planned?.holdPct ?? 0, HOLD),
  ]
}

const mark = (name: string, value: number, least: number): Mark => ({
  name,
  value: `${value.toFixed(1)} %`,
  limit: `≥ ${least} %`,
  pass: value >= least,
})

/** In hundredths; of none 100. */
const share = <T>(members: readonly T[], is: (member: T) => boolean): number =>
  members.length === 0 ? 100 : (100 * members.filter(is).length) / members.length
