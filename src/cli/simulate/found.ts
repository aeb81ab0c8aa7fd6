import {
  type Choice,
  type ChosenPoint,
  counted,
  figure,
  loadName,
  objectivesName,
  type Point,
  portion,
  type Run,
  type Search,
  TwospeedError,
  t95,
} from '../../core/index.ts'
import { FIND_PRECISION } from './find.ts'
import type { Done, Tried } from './job.ts'
import { type Asked, MOST_LEFT } from './judge.ts'
import type { SimulationPlan } from './plan.ts'

/** The run with what the searches of all seeds found. Throws NO_POINT_HOLDS where one of them found no load. */
export function foundBy(run: Run, done: readonly Done[], asked: Asked, { lanes }: SimulationPlan): Run {
  const brackets = done.flatMap(({ found }) => (found === undefined ? [] : [found.bracket]))
  const tried = done[0]?.found?.tried ?? []
  const [first] = brackets
  const what = wordsOf(asked, lanes)
  // What came, not what was asked for: the answer is free of the chance that is in the arrivals of a seed.
  const helds = done.flatMap(({ found: each }) => {
    const { held } = each?.bracket ?? {}
    return held === undefined ? [] : [cameAt(held, each?.tried ?? [])]
  })
  if (helds.length < brackets.length || first === undefined) {
    const least = Math.min(...tried.map(({ load }) => load))
    throw new TwospeedError(
      'NO_POINT_HOLDS',
      `Not even ${loadName({ kind: kindOf(run), value: least })} ${least === 1 && kindOf(run) === 'concurrency' ? 'has' : 'have'} ${what}.`,
      'Lower what is asked, or make one stream faster: fewer bytes a step, shorter prompts, more or faster GPUs for one replica.',
    )
  }
  const missing = tried.find(({ load }) => load === first.missed)
  const found = {
    by: kindOf(run),
    ...intervalOf(helds, missing && cameAt(missing.load, tried), missing?.missed === 'serverLimit'),
    runs: helds.length,
  }
  const at = run.points.find(({ load }) => load.value === first.held)
  const sentence = sentenceOf(
    found,
    what,
    asked,
    at,
    tried.find(({ load }) => load === first.held),
  )
  const search: Search = {
    kind: 'find',
    tried: tried.map(({ load, verdict, missed }, i) => ({
      concurrency: inFlightOf(run.points[i], load),
      ...(found.by === 'rate' && { rate: load }),
      verdict,
      ...(missed !== undefined && { missed }),
    })),
    finished: true,
    withinPct: 100 * FIND_PRECISION,
    found,
    sentence,
  }
  const choice = at === undefined ? undefined : choiceOf(run, at, missing?.missed ?? 'measuredRange', sentence, asked)
  return { ...run, search, ...(choice !== undefined && { choices: [choice] }) }
}

type Found = NonNullable<Search['found']>

const kindOf = ({ points }: Run): Found['by'] => (points[0]?.load.kind === 'rate' ? 'rate' : 'concurrency')

const cameAt = (load: number, tried: readonly Tried[]): number => tried.find((each) => each.load === load)?.came ?? load

/**
 * Of one seed the bracket; of several Student's interval about their mean, and never less than the bracket. Where a queue that grows is what
 * ends it, never less than what a queue must grow by to be told from chance.
 */
function intervalOf(
  helds: readonly number[],
  missed: number | undefined,
  isByQueue: boolean,
): Pick<Found, 'value' | 'low' | 'high'> {
  const value = helds.reduce((sum, held) => sum + held, 0) / helds.length
  const most = missed === undefined ? value : Math.max(value, missed)
  const unsure = isByQueue ? MOST_LEFT * value : 0
  if (helds.length < 2) return { value, low: value - unsure, high: Math.max(most, value + unsure) }
  const squares = helds.reduce((sum, held) => sum + (held - value) ** 2, 0)
  const scatter = t95(helds.length - 1) * Math.sqrt(squares / (helds.length - 1) / helds.length)
  const half = Math.max(scatter, unsure)
  return { value, low: Math.max(0, value - half), high: value + Math.max(half, FIND_PRECISION * value) }
}

function wordsOf({ objectives, share }: Asked, lanes: SimulationPlan['lanes']): string {
  const named = [
    objectivesName(objectives ?? {}),
    ...lanes.map(({ name, objectives: own }) => (own === undefined ? '' : `in lane ${name} ${objectivesName(own)}`)),
  ].filter((name) => name !== '')
  return `${share === undefined ? '' : `for ${portion(share)} of requests `}${named.join(', ')}`
}

function sentenceOf(
  { by, value, low, high, runs }: Found,
  what: string,
  { share }: Asked,
  at?: Point,
  tried?: Tried,
): string {
  const unit = by === 'rate' ? '/s' : ' users'
  const sure = runs > 1 ? `, 95 % interval of ${counted(runs, 'run')} with seeds of their own` : ''
  const isOff = tried?.came !== undefined && Math.abs(tried.came / tried.load - 1) > FIND_PRECISION
  const which = isOff ? `, at ${figure(tried.load)}/s where ${figure(tried.came)}/s came,` : ''
  const pace = at?.littlesLaw.decodeTokensPerSecondPerUser
  const wait = at?.latency.ttftMs.p50
  const there =
    share !== undefined || pace === undefined || wait === undefined
      ? ''
      : ` There${which} a user has ${figure(pace)} tok/s in the mean, and half of the first tokens come within ${figure(wait)} ms.`
  return `At most ${figure(value)}${unit} (${figure(low)} to ${figure(high)}${sure}) have ${what}.${there}`
}

const inFlightOf = (point: Point | undefined, load: number): number =>
  point?.load.kind === 'concurrency' ? load : (point?.littlesLaw.inFlight ?? 0)

function choiceOf(
  { fit, frontier, hardware }: Run,
  at: Point,
  bindingConstraint: Choice['bindingConstraint'],
  reason: string,
  { objectives = {}, share }: Asked,
): Choice | undefined {
  if (fit === undefined || frontier === undefined) return undefined
  const ttftMs = at.latency.ttftMs.p50
  const choice: ChosenPoint = {
    concurrency: inFlightOf(at, at.load.value),
    tokensPerSecondPerUser: at.littlesLaw.decodeTokensPerSecondPerUser ?? 0,
    outputTokensPerSecond: at.outputTokensPerSecond,
    ...(hardware.gpus !== undefined && { tokensPerSecondPerGpu: at.outputTokensPerSecond / hardware.gpus }),
    ...(ttftMs !== undefined && { ttftMs }),
    ...(share !== undefined && at.goodput !== undefined && { attainment: at.goodput.attainment }),
    source: 'measured',
  }
  const { tokensPerSecond, ttftMs: longest } = objectives
  const product = {
    name: 'objective',
    goal: 'pace' as const,
    ...(tokensPerSecond !== undefined && { tokensPerSecond }),
    ...(longest !== undefined && { ttftMs: longest }),
    ...(share !== undefined && { share }),
  }
  return { product, choice, bindingConstraint, reason, fit, frontier, neighbours: [] }
}
