import { figure, type Objectives, objectivesName, percent, type Run, TwospeedError } from '../core/index.ts'
import { DOUBTFUL_PCT, type OperatingPoint } from '../model/index.ts'
import type { Choice, ChosenPoint } from './choice.ts'
import { choose } from './choose.ts'
import { type Evidence, evidenceOfRun } from './evidence.ts'
import { PRODUCTS, type Product } from './product.ts'
import { UNSTEADY } from './reason.ts'

/** What to tell one product, in one sentence, and the choice behind it; none where nothing holds its objective. */
export interface Advice {
  readonly product: Product
  readonly sentence: string
  readonly choice?: Choice
}

/**
 * A chat product, or the run's own objective where it has one, and an overnight batch: which load to run, and what it costs the other
 * speed. Where the chat objective holds at every load, so that it does not choose, the load that keeps half of the lone user's pace
 * stands in for it, and says so.
 * Empty where the run has fewer than two loads with a pace to choose between.
 */
export function adviceOf(run: Run): readonly Advice[] {
  return adviceOn(evidenceOfRun(run), run.objectives, run.choices?.[0])
}

/** `found` is the choice of a search for the objective; it stands before what the evidence would say. */
export function adviceOn(evidence: Evidence, objectives: Objectives = {}, found?: Choice): readonly Advice[] {
  const points = evidence.curve.points.flatMap(({ load }) => evidence.curve.at(load) ?? [])
  const [least] = points
  if (least === undefined || points.length < 2) return []
  const batch = withDoubt(batchAdvice(evidence, least), evidence)
  if (found !== undefined) return [{ product: found.product, choice: found, sentence: found.reason }, batch]
  // What a batch would run at: past the server's limit more tokens are noise.
  const most = batch.choice.choice
  const own = ownProduct(objectives)
  const first = own === undefined ? chatAdvice(evidence, least, most) : objectiveAdvice(evidence, own, least, most)
  return [withDoubt(first, evidence), batch]
}

/** The sentences of `adviceOf`: one for a chat product, one for an overnight batch. */
export function sentences(run: Run): readonly string[] {
  return adviceOf(run).map((advice) => advice.sentence)
}

/** What the run itself was asked to hold. A limit on TPOT is a pace. */
function ownProduct({ tokensPerSecond, tpotMs, ttftMs }: Objectives): Product | undefined {
  const floors = [tokensPerSecond, tpotMs && 1000 / tpotMs].filter((floor) => floor !== undefined)
  if (floors.length === 0 && ttftMs === undefined) return undefined
  return {
    name: 'objective',
    goal: 'pace',
    ...(floors.length > 0 && { tokensPerSecond: Math.max(...floors) }),
    ...(ttftMs !== undefined && { ttftMs }),
  }
}

function objectiveAdvice(evidence: Evidence, product: Product, least: OperatingPoint, most: ChosenPoint): Advice {
  const asked = objectivesName(product)
  const found = tryChoose(evidence, product)
  if (found instanceof TwospeedError) return { product, sentence: `Your objective, ${asked}: ${found.message}.` }
  return { product, choice: found, sentence: `Your objective, ${asked}: ${costing(found, least, most)}` }
}

function withDoubt<T extends Advice>(advice: T, evidence: Evidence): T {
  const doubt = advice.choice === undefined ? undefined : doubtOf(advice.choice.choice, evidence)
  return doubt === undefined ? advice : { ...advice, sentence: `${advice.sentence} ${doubt}` }
}

function doubtOf({ source, concurrency }: ChosenPoint, { fit, curve }: Evidence): string | undefined {
  if (source === 'measured') {
    return curve.points.some((point) => point.load === concurrency && point.unsteady) ? UNSTEADY : undefined
  }
  if (fit.errorPct <= DOUBTFUL_PCT) return undefined
  return `A guess: the law misses loads it has not seen by ${figure(fit.errorPct)} %.`
}

function chatAdvice(evidence: Evidence, least: OperatingPoint, most: ChosenPoint): Advice {
  const product = PRODUCTS.chat
  const wait = least.ttftMs === undefined ? '' : ` and a first token within ${figure(product.ttftMs ?? 0)} ms`
  const asks = `${figure(product.tokensPerSecond ?? 0)} tok/s/user${wait} (${product.source})`
  const found = tryChoose(evidence, product)
  if (found instanceof TwospeedError) return { product, sentence: `Chat, at ${asks}: ${found.message}.` }
  if (found.bindingConstraint !== 'measuredRange' && found.choice.source !== 'extrapolated') {
    return { product, choice: found, sentence: `Chat, at ${asks}: ${costing(found, least, most)}` }
  }
  // The objective holds wherever something was measured, so it does not choose; half of a quick pace does.
  const { base, choice } = halfPace(evidence)
  const slowest = evidence.curve.at(evidence.curve.points.at(-1)?.load ?? least.load) ?? least
  const kept = slowest.tokensPerSecondPerUser / base.tokensPerSecondPerUser
  const why =
    kept > 0.5
      ? `even at ${figure(slowest.load)} in flight a user keeps ${percent(kept)} of the pace of ${whose(base)}, so`
      : `to keep half of the pace of ${whose(base)},`
  return {
    product: choice.product,
    choice,
    sentence: `Chat: every load measured holds ${asks}, so that does not choose; ${why} ${costing(choice, least, most)}`,
  }
}

/**
 * The greatest load that keeps half of the pace of the least, within what was measured. A lone stream may be so much quicker than two
 * that nothing else keeps half of it: then the next load is what is halved.
 */
function halfPace(evidence: Evidence): { readonly base: OperatingPoint; readonly choice: Choice } {
  const points = evidence.curve.points.flatMap(({ load }) => evidence.curve.at(load) ?? [])
  const slowest = points.at(-1)?.tokensPerSecondPerUser ?? 0
  const halved = (base: OperatingPoint): { readonly base: OperatingPoint; readonly choice: Choice } => {
    const floor = Math.max(base.tokensPerSecondPerUser / 2, slowest)
    return { base, choice: choose(evidence, { name: 'half pace', goal: 'pace', tokensPerSecond: floor }) }
  }
  for (const base of points) {
    const found = halved(base)
    if (found.choice.choice.concurrency > base.load) return found
  }
  if (points[0] === undefined) throw new RangeError('no point to halve the pace of')
  return halved(points[0])
}

const whose = ({ load }: OperatingPoint): string => (load === 1 ? 'a lone user' : `${figure(load)} in flight`)

function costing({ choice, bindingConstraint }: Choice, least: OperatingPoint, most: ChosenPoint): string {
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output, source } = choice
  const limit = bindingConstraint === 'serverLimit' ? ' (the server decodes no more at once)' : ''
  const how = source === 'fitted' ? ', between measured loads' : ''
  const run = `run ${figure(concurrency)} in flight${limit}${how}: ${figure(pace)} tok/s each`
  const share = output / most.outputTokensPerSecond
  if (share >= 0.99) return `${run}, and the server makes ${figure(output)} tok/s, the most it was seen to make.`
  const all = concurrency === least.load ? `${figure(output)} tok/s` : `${figure(output)} tok/s in all`
  return `${run} and ${all}, which costs ${percent(1 - share)} of the ${figure(most.outputTokensPerSecond)} tok/s that it makes at ${figure(most.concurrency)}.`
}

function batchAdvice(evidence: Evidence, least: OperatingPoint): Advice & { readonly choice: Choice } {
  const product = PRODUCTS.batch
  const choice = choose(evidence, product)
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output } = choice.choice
  const share = pace / least.tokensPerSecondPerUser
  const slowed =
    share < 1
      ? `each stream slows by ${percent(1 - share)} to ${figure(pace)} tok/s`
      : `no stream is slower for it: ${figure(pace)} tok/s each`
  const { limit } = evidence.curve.fitted
  const beyond =
    limit !== undefined && concurrency <= limit.load
      ? ` More in flight only wait: a replica decodes at most about ${figure(limit.batch)} at once.`
      : ''
  const cost =
    concurrency === least.load
      ? 'for more load only made less'
      : `${(output / least.outputTokensPerSecond).toFixed(1)} times what ${whose(least)} gets, and ${slowed}`
  return {
    product,
    choice,
    sentence: `Overnight batch: run ${figure(concurrency)} in flight: ${figure(output)} tok/s, ${cost}.${beyond}`,
  }
}

function tryChoose(evidence: Evidence, product: Product): Choice | TwospeedError {
  try {
    return choose(evidence, product)
  } catch (error) {
    if (error instanceof TwospeedError) return error
    throw error
  }
}
