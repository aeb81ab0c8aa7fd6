/** How often a rule is right over all questions, and what it costs where it is not. */
import { percentile } from '../../src/core/index.ts'
import { servingSweeps } from '../model/serving.ts'
import type { Mark } from '../results.ts'
import { type Answer, answerOf, byLaw, byMeasuredPoint } from './answers.ts'
import { type OtherLengths, otherLengths } from './other-lengths.ts'
import { floorsOf, type HeldBack, hasOneAnswer, heldBack, type Question, waitsOf } from './questions.ts'

/** Of one rule, one kind of limit and one group of sweeps. */
export interface ChoiceScore {
  readonly rule: 'choose' | 'measuredPoint'
  readonly limit: Question['limit']
  readonly of: string
  readonly sweeps: number
  readonly questions: number
  readonly unanswered: number
  readonly withinOneStepPct: number
  /** Of sweeps: the answer to the limit in the middle of its questions is. */
  readonly middlesPct: number
  /** Of sweeps: the answers to all its questions are. */
  readonly wholeSweepsPct: number
  readonly exactPct: number
  /** tok/s/GPU lost against the best measured load that holds, of the answers that hold. */
  readonly regretPct: { readonly median: number; readonly p90: number }
  /** Answers that miss their limit, and by how much of it. */
  readonly missed: { readonly pct: number; readonly medianPct: number; readonly p90Pct: number }
}

export interface ChooseResult {
  readonly marks: readonly Mark[]
  readonly scores: readonly ChoiceScore[]
  /** Limits that were not asked about, for the measurements go up and down across them. */
  readonly leftOut: { readonly floor: number; readonly ttft: number }
  /** How often the bounds hold for requests of other lengths than were measured. */
  readonly otherLengths: OtherLengths
}

const RULES = { choose: byLaw, measuredPoint: byMeasuredPoint } as const
const ASKED = { floor: floorsOf, ttft: waitsOf } as const
const LIMITS = ['floor', 'ttft'] as const
const GROUPS: readonly (readonly [string, (sweep: HeldBack) => boolean])[] = [
  ['all', () => true],
  ['without experts', ({ experts }) => !experts],
  ['with experts', ({ experts }) => experts],
  ['its fit is reliable', ({ evidence }) => evidence.fit.reliable],
]

export function chooseAccuracy(): ChooseResult {
  const measured = servingSweeps()
  const sweeps = measured.flatMap((sweep) => heldBack(sweep) ?? [])
  const asked = LIMITS.map((limit) => {
    const all = sweeps.flatMap(ASKED[limit])
    const questions = all.filter(hasOneAnswer)
    return { limit, questions, leftOut: all.length - questions.length }
  })
  const scores = asked.flatMap(({ limit, questions }) =>
    (['choose', 'measuredPoint'] as const).flatMap((rule) => {
      const answers = questions.flatMap((question) => answerOf(RULES[rule], question) ?? [])
      return GROUPS.map(([of, isOf]) => ({
        rule,
        limit,
        of,
        ...scoreOf(answers.filter(({ question }) => isOf(question.sweep))),
      }))
    }),
  )
  const [floor = 0, ttft = 0] = asked.map(({ leftOut }) => leftOut)
  const others = otherLengths(measured)
  return {
    marks: [...marksOf(scores), ...lengthMarksOf(others)],
    scores,
    leftOut: { floor, ttft },
    otherLengths: others,
  }
}

/** Of 100. */
const WITHIN = 95
const NAMES = { floor: 'floor of pace', ttft: 'limit of the first token' } as const

const marksOf = (scores: readonly ChoiceScore[]): readonly Mark[] =>
  scores
    .filter(({ rule, of }) => rule === 'choose' && of === 'all')
    .flatMap(({ limit, withinOneStepPct, middlesPct }) => [
      mark(`Within one measured load of the best, ${NAMES[limit]}: sweeps, one in the middle of each`, middlesPct),
      mark(`Within one measured load of the best, ${NAMES[limit]}: all answers`, withinOneStepPct),
    ])

const mark = (name: string, value: number): Mark => ({
  name,
  value: `${value.toFixed(1)} %`,
  limit: `≥ ${WITHIN} %`,
  pass: value >= WITHIN,
})

/** How far off what bounds promise is still the promise: of all, and of servers that their width was not taken from. */
const OFF = { all: 5, heldOut: 10 } as const

function lengthMarksOf({ coverage, heldOutPct }: OtherLengths): readonly Mark[] {
  const [all] = coverage
  if (all === undefined) throw new Error('nothing was measured with two lengths')
  const near = (name: string, value: number, off: number): Mark => ({
    name,
    value: `${value.toFixed(1)} %`,
    limit: `${all.promisedPct} ± ${off} %`,
    pass: Math.abs(value - all.promisedPct) <= off,
  })
  const worse = heldOutPct.toSorted((a, b) => Math.abs(b - all.promisedPct) - Math.abs(a - all.promisedPct))[0] ?? 0
  return [
    near('Measured inside the bounds, other lengths', all.insidePct, OFF.all),
    near('Measured inside the bounds, other lengths: servers that the width was not taken from', worse, OFF.heldOut),
  ]
}

/** Throws where nothing is asked: a mark must not be held by an empty table. */
export function scoreOf(answers: readonly Answer[]): Omit<ChoiceScore, 'rule' | 'limit' | 'of'> {
  if (answers.length === 0) throw new Error('nothing is asked')
  const sweeps = [...new Set(answers.map(({ question }) => question.sweep))].map((sweep) =>
    answers.filter(({ question }) => question.sweep === sweep),
  )
  const given = answers.filter(({ load }) => load !== undefined)
  const missed = given.flatMap(({ missedBy }) => (missedBy > 0 ? [missedBy] : []))
  const regret = given.flatMap((answer) => (answer.missedBy === 0 ? [answer.regret] : []))
  return {
    sweeps: sweeps.length,
    questions: answers.length,
    unanswered: answers.length - given.length,
    withinOneStepPct: share(answers, ({ withinOneStep }) => withinOneStep),
    middlesPct: share(sweeps, (members) => members[members.length >> 1]?.withinOneStep === true),
    wholeSweepsPct: share(sweeps, (members) => members.every(({ withinOneStep }) => withinOneStep)),
    exactPct: share(answers, ({ exact }) => exact),
    regretPct: { median: at(regret, 50), p90: at(regret, 90) },
    missed: { pct: (100 * missed.length) / answers.length, medianPct: at(missed, 50), p90Pct: at(missed, 90) },
  }
}

const share = <T>(members: readonly T[], is: (member: T) => boolean): number =>
  (100 * members.filter(is).length) / members.length

/** In hundredths; 0 where there are none. */
const at = (values: readonly number[], p: number): number =>
  100 *
  (percentile(
    values.toSorted((a, b) => a - b),
    p,
  ) ?? 0)
