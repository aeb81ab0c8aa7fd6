import { type Lengths, MOST_TOKENS, type Trace, TwospeedError } from '../../core/index.ts'
import type { CurvePoint } from './daily-curve.ts'
import type { CountedRow } from './played-trace.ts'
import type { SourcePlan } from './source-plan.ts'

type DrawnPlan = Extract<SourcePlan, { readonly work: unknown }>

const isPositive = (value: number): boolean => value > 0 && Number.isFinite(value)
const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1

/** Throws INVALID_VALUE with all that cannot be asked for. */
export function checkPlan({ arrivals, work, think }: DrawnPlan): void {
  const problems: string[] = []
  const need = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem)
  }
  if (arrivals.kind === 'users') {
    const { users, spreadS = 0 } = arrivals
    need(isCount(users), `${users} users: it takes a whole number of at least 1`)
    need(spreadS >= 0 && Number.isFinite(spreadS), `their starts are spread over ${spreadS} s: it takes 0 or more`)
  } else {
    const { process } = arrivals
    if (process.kind === 'gamma')
      need(isPositive(process.burstiness), `the burstiness is ${process.burstiness}: it takes a number above 0`)
    if (arrivals.kind === 'curve') problems.push(...curveProblems(arrivals.points))
    else {
      const { rate, rampS = 0 } = arrivals
      need(isPositive(rate), `the rate is ${rate}: it takes requests per second above 0`)
      need(rampS >= 0 && Number.isFinite(rampS), `the ramp takes ${rampS} s: it takes 0 or more`)
    }
  }
  if (think !== undefined) {
    need(isPositive(think.meanS), `a user thinks ${think.meanS} s: it takes seconds above 0`)
    const isUseless = arrivals.kind !== 'users' && (work.turns ?? 1) === 1
    need(!isUseless, 'nobody thinks between requests where each is somebody else’s: it takes conversations, or users')
  }
  const { input, output, pairs, prefix, turns = 1 } = work
  need(isCount(turns), `conversations have ${turns} turns: it takes a whole number of at least 1`)
  if (pairs === undefined) {
    need(areLengths(input), `prompts are ${told(input)} long: it takes from 1 to ${MOST_TOKENS} tokens`)
    need(areLengths(output), `answers are ${told(output)} long: it takes from 1 to ${MOST_TOKENS} tokens`)
  } else {
    const areGood = pairs.every(({ inputTokens, outputTokens }) => isCount(inputTokens) && isCount(outputTokens))
    need(pairs.length > 0 && areGood, 'pairs of lengths: it takes at least one, each of whole numbers of at least 1')
  }
  if (prefix !== undefined) {
    const { share, count } = prefix
    need(share > 0 && share < 1, `the share that prompts have in common is ${share}: it takes one between 0 and 1`)
    need(isCount(count), `prompts begin with one of ${count} texts: it takes a whole number of at least 1`)
  }
  refuseIf(problems, 'INVALID_VALUE', 'Give requests that somebody could send.')
}

function curveProblems(points: readonly CurvePoint[]): readonly string[] {
  const problems: string[] = []
  if (points.length < 2) problems.push('a curve needs two points at least: its last one says when it begins anew')
  if (points[0] !== undefined && points[0].atS !== 0) problems.push(`a curve begins at 0 s, not at ${points[0].atS} s`)
  for (const [index, { atS, rate }] of points.entries()) {
    const before = points[index - 1]
    if (!(rate >= 0 && Number.isFinite(rate)))
      problems.push(`the curve’s rate at ${atS} s is ${rate}: it takes 0 or more`)
    if (!Number.isFinite(atS) || (before !== undefined && !(atS > before.atS)))
      problems.push(`the curve’s point at ${atS} s does not come after the one before it`)
  }
  if (points.every(({ rate }) => rate === 0)) problems.push('the curve is 0 everywhere: nobody ever comes')
  return problems
}

function areLengths(lengths: Lengths): boolean {
  const isLength = (tokens: number): boolean => tokens >= 1 && tokens <= MOST_TOKENS
  switch (lengths.kind) {
    case 'fixed':
      return isLength(lengths.tokens) && Number.isInteger(lengths.tokens)
    case 'uniform': {
      const { least, most } = lengths
      return isLength(least) && isLength(most) && least <= most && [least, most].every(Number.isInteger)
    }
    case 'normal':
      return isLength(lengths.mean) && lengths.deviation >= 0 && Number.isFinite(lengths.deviation)
    case 'lognormal':
      return isLength(lengths.median) && lengths.sigma >= 0 && Number.isFinite(lengths.sigma)
  }
}

function told(lengths: Lengths): string {
  const { kind, ...rest } = lengths
  return `${kind} ${Object.values(rest).join(', ')}`
}

/** The rows of a trace, which must all say how long they are. */
export function countedRows({ rows }: Trace): readonly CountedRow[] {
  const problems = rows.flatMap((row, index) =>
    isCounted(row) ? [] : [`request ${index + 1} of the trace does not say how long prompt and answer are`],
  )
  const isAscending = rows.every(({ atS }, index) => Number.isFinite(atS) && atS >= (rows[index - 1]?.atS ?? 0))
  if (!isAscending) problems.push('the requests of the trace are not in order of time from 0 on')
  refuseIf(problems, 'INVALID_WORK', 'Give a trace with the times and lengths of all requests.')
  return rows.filter(isCounted)
}

const isCounted = (row: Trace['rows'][number]): row is CountedRow =>
  isCount(row.inputTokens ?? 0) && isCount(row.outputTokens ?? 0)

const FEW = 10

function refuseIf(problems: readonly string[], code: 'INVALID_VALUE' | 'INVALID_WORK', hint: string): void {
  if (problems.length === 0) return
  const more = problems.length > FEW ? [`… and ${problems.length - FEW} more`] : []
  const all = [...problems.slice(0, FEW), ...more].join('; ')
  throw new TwospeedError(code, `${all[0]?.toUpperCase()}${all.slice(1)}.`, hint)
}
