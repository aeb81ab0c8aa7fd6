import {
  type Choice,
  figure,
  type Objectives,
  objectivesName,
  type Point,
  portion,
  type Run,
  type Search,
} from '../core/index.ts'
import { type Advice, adviceOn, type Evidence } from '../plan/index.ts'
import { whyAside } from './law-lines.ts'
import { inFlightName, loadOf } from './load.ts'
import { asSimulated, isMixed, isOfSimulator } from './simulated.ts'

/**
 * What a run comes to: a sentence for the objective that it was asked to hold, or for a chat product, and one for a batch. The objective
 * always has one, also where too little was measured for advice.
 */
export function conclusionsOf(run: Run, evidence: Evidence): readonly Advice[] {
  const advice = isMixed(run) ? ofLanes(run, evidence) : ofOneLoad(run, evidence)
  return isOfSimulator(run) ? advice.map((each) => ({ ...each, sentence: asSimulated(each.sentence) })) : advice
}

function ofOneLoad(run: Run, evidence: Evidence): readonly Advice[] {
  const { objectives, choices } = run
  const advice = adviceOn(evidence, objectives, choices?.[0])
  const asked = objectivesName(objectives ?? {})
  if (asked === '') return advice.map((each) => byAskedLoad(each, evidence, run))
  const isOwn = ({ product }: Advice): boolean => product.name === 'objective'
  const isFound = run.search?.kind === 'find'
  // Of a share no curve of means chooses: each load has counted who met all of it.
  const chosen = shareOf(run) === undefined || isFound ? advice.filter(isOwn) : []
  const judged = run.search?.kind === 'find' ? [foundBy(run.search, choices?.[0])] : chosen
  const [own = { product: OWN, sentence: verdictByLoad(run, evidence, `Your objective, ${asked}`) }] = judged
  return [withGoodput(own, run), ...advice.filter((each) => !isOwn(each))].map((each) =>
    byAskedLoad(each, evidence, run),
  )
}

/** Of several lanes each by its own objective: what one product would choose says nothing of a mix. */
function ofLanes(run: Run, evidence: Evidence): readonly Advice[] {
  const { objectives, points, search } = run
  const asked = objectivesName(objectives ?? {})
  const lanes = points[0]?.simulation?.lanes ?? []
  return [
    ...(search?.kind === 'find' ? [foundBy(search, undefined)] : []),
    ...(asked === '' || search?.kind === 'find'
      ? []
      : [{ product: OWN, sentence: verdictByLoad(run, evidence, `Your objective, ${asked}, over all lanes`) }]),
    ...lanes.flatMap(({ name, objectives: own }) => {
      const goal = objectivesName(own ?? {})
      if (own === undefined || goal === '') return []
      const seen = points.map((point) => ({ ...point, ...point.simulation?.lanes?.find((lane) => lane.name === name) }))
      const of = { ...run, points: seen, objectives: own }
      const what = `Lane ${name}, ${goal}`
      return [{ product: { ...OWN, name: `Lane ${name}` }, sentence: verdictByLoad(of, evidence, what) }]
    }),
  ]
}

/** Of the requests that are to get all of it, where the run was asked for such a share. */
function shareOf({ workload: { share } }: Pick<Run, 'workload'>): number | undefined {
  return typeof share === 'number' ? share : undefined
}

const OWN: Advice['product'] = { name: 'objective', goal: 'pace' }

/** A search has judged its loads, by the share of requests where one was asked for; nothing else is to say otherwise. */
function foundBy({ sentence }: Search, found: Choice | undefined): Advice {
  return found === undefined
    ? { product: OWN, sentence }
    : { product: found.product, choice: found, sentence: found.reason }
}

interface Judged {
  readonly name: string
  readonly order: number
  readonly verdict: 'holds' | 'misses' | 'unknown'
  readonly told: string
}

/** What is wrong with a load, and is the server's own doing. */
const MISSES: ReadonlySet<string> = new Set(['failures', 'unanswered'])

/** Each load by itself, by its mean pace and its median wait, or by the share of requests that met all of it. */
function verdictByLoad(run: Run, evidence: Evidence, what: string): string {
  const share = shareOf(run)
  const judged = run.points
    .map((point, index) => judge(point, index, { ...run.objectives, ...(share !== undefined && { share }) }, evidence))
    .sort((a, b) => a.order - b.order)
  const of = (verdict: Judged['verdict']): readonly Judged[] => judged.filter((each) => each.verdict === verdict)
  const [held, missed, unknown] = [of('holds'), of('misses'), of('unknown')]
  const [last, miss] = [held.at(-1), missed[0]]
  const parts = [
    ...(last === undefined ? [] : [`held ${held.length > 1 ? 'up to' : 'at'} ${last.name} (${last.told})`]),
    ...(miss === undefined ? [] : [`${last === undefined ? 'not held' : 'missed'} at ${miss.name} (${miss.told})`]),
    ...[...new Set(unknown.map(({ told }) => told))].map((why) => {
      const where = unknown.filter(({ told }) => told === why).map(({ name }) => name)
      return `not known at ${[...new Set(where)].join(', ')}, because ${why}`
    }),
  ]
  const whose = share === undefined ? '' : `, for ${portion(share)} of requests`
  return `${what}${whose}: ${parts.length === 0 ? 'not known, because nothing was measured' : parts.join('; ')}.`
}

function judge(
  point: Point,
  index: number,
  objectives: Objectives & { readonly share?: number },
  { points }: Evidence,
): Judged {
  const { tokensPerSecond, tpotMs, ttftMs: limit, share } = objectives
  const met = point.goodput?.attainment
  const floor = Math.max(tokensPerSecond ?? 0, tpotMs === undefined ? 0 : 1000 / tpotMs)
  const pace = point.littlesLaw.decodeTokensPerSecondPerUser
  const wait = point.latency.ttftMs.p50
  const fault =
    points.find(({ members }) => members.includes(index))?.fault ??
    (point.generator.saturated === true ? 'generatorSaturated' : undefined)
  const as = (verdict: Judged['verdict'], told: string): Judged => ({
    name: loadOf(point),
    order: point.load.value,
    verdict,
    told,
  })
  if (fault !== undefined) return as(MISSES.has(fault) ? 'misses' : 'unknown', whyAside(fault))
  if (share !== undefined) {
    if (met === undefined) return as('unknown', 'no request was counted')
    return as(met >= share * (1 - 1e-9) ? 'holds' : 'misses', `${portion(met)} met all of it`)
  }
  if (floor > 0 && pace === undefined) return as('unknown', 'no answer had a pace')
  if (limit !== undefined && wait === undefined) return as('unknown', 'no first token was seen')
  const told = [
    ...(floor > 0 && pace !== undefined ? [`${figure(pace)} tok/s each`] : []),
    ...(limit !== undefined && wait !== undefined ? [`first token after ${figure(wait)} ms`] : []),
  ].join(', ')
  const typical =
    met === undefined || met === 1 ? told : `${told}, by the typical request; ${portion(met)} met all of it`
  // Limits are included, whatever the last bit of a division says.
  const holds = (pace ?? 0) >= floor * (1 - 1e-9) && (limit === undefined || (wait ?? 0) <= limit * (1 + 1e-9))
  return as(holds ? 'holds' : 'misses', typical)
}

/** The product's own words, and at a measured load how many of its requests met all limits at once. */
function withGoodput(advice: Advice, { points }: Run): Advice {
  const { sentence, choice } = advice
  const whole = sentence.startsWith('Your objective') ? sentence : `Your objective: ${sentence}`
  const met = choice === undefined ? undefined : goodputAt(choice.choice, points)
  return { ...advice, sentence: met === undefined ? whole : `${whole} There ${met}.` }
}

/** `97 % of the requests met all of it, 9.1 a second`; of a load that was measured once. */
function goodputAt(
  { concurrency, source }: NonNullable<Advice['choice']>['choice'],
  points: readonly Point[],
): string | undefined {
  const [point, ...others] = points.filter(
    ({ load, littlesLaw }) => (load.kind === 'concurrency' ? load.value : littlesLaw.inFlight) === concurrency,
  )
  if (source !== 'measured' || point?.goodput === undefined || others.length > 0) return undefined
  const { attainment, requestsPerSecond } = point.goodput
  return `${portion(attainment)} of the requests met all of it, ${figure(requestsPerSecond)} a second`
}

/** A load that was asked for as a rate is run as one. */
function byAskedLoad(advice: Advice, evidence: Evidence, { points }: Run): Advice {
  const load = advice.choice?.choice.concurrency
  if (load === undefined) return advice
  const sentence = advice.sentence.replace(`${figure(load)} in flight`, inFlightName(load, evidence, points))
  return { ...advice, sentence }
}
