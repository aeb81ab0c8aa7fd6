import { figure, percent, type Run, TwospeedError } from '../core/index.ts'
import type { OperatingPoint } from '../model/index.ts'
import type { Choice } from './choice.ts'
import { choose } from './choose.ts'
import { type Evidence, evidenceOfRun } from './evidence.ts'
import { PRODUCTS, type Product } from './product.ts'

/** What to tell one product, in one sentence, and the choice behind it; none where nothing holds its objective. */
export interface Advice {
  readonly product: Product
  readonly sentence: string
  readonly choice?: Choice
}

/**
 * A chat product and an overnight batch: which load to run, and what it costs the other speed. Where the chat objective holds at
 * every load, so that it does not choose, the load that keeps half of the lone user's pace stands in for it, and the sentence says so.
 * Empty where the run has no pace to choose by.
 */
export function adviceOf(run: Run): readonly Advice[] {
  return adviceOn(evidenceOfRun(run))
}

export function adviceOn(evidence: Evidence): readonly Advice[] {
  const points = evidence.curve.points.flatMap(({ load }) => evidence.curve.at(load) ?? [])
  const [least] = points
  if (least === undefined) return []
  const most = points.reduce((a, b) => (b.outputTokensPerSecond > a.outputTokensPerSecond ? b : a), least)
  return [chatAdvice(evidence, least, most), batchAdvice(evidence, least)]
}

/** The sentences of `adviceOf`: one for a chat product, one for an overnight batch. */
export function sentences(run: Run): readonly string[] {
  return adviceOf(run).map((advice) => advice.sentence)
}

function chatAdvice(evidence: Evidence, least: OperatingPoint, most: OperatingPoint): Advice {
  const product = PRODUCTS.chat
  const asks = `${figure(product.tokensPerSecond ?? 0)} tok/s/user${least.ttftMs === undefined ? '' : ` and a first token within ${figure(product.ttftMs ?? 0)} ms`}`
  const found = tryChoose(evidence, product)
  if (found instanceof TwospeedError) {
    return { product, sentence: `Chat, at ${asks} (${product.source}): ${found.message}.` }
  }
  if (found.bindingConstraint !== 'measuredRange' && found.choice.source !== 'extrapolated') {
    return { product, choice: found, sentence: `Chat, at ${asks} (${product.source}): ${costing(found, least, most)}` }
  }
  const half: Product = { name: 'chat', goal: 'pace', tokensPerSecond: least.tokensPerSecondPerUser / 2 }
  const choice = choose(evidence, half)
  const whose = least.load === 1 ? 'a lone user has' : `${figure(least.load)} in flight have`
  const further =
    found.choice.source === 'extrapolated' ? `, and by the law ${figure(found.choice.concurrency)} would` : ''
  return {
    product: half,
    choice,
    sentence: `Chat: every load measured holds ${asks} (${product.source})${further}; to keep half of the pace that ${whose}, ${costing(choice, least, most)}`,
  }
}

function costing({ choice, bindingConstraint }: Choice, least: OperatingPoint, most: OperatingPoint): string {
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output, source } = choice
  const how =
    source === 'measured' ? '' : `, ${source === 'fitted' ? 'between measured loads' : 'beyond the measured loads'}`
  const limit = bindingConstraint === 'serverLimit' ? ' (the server decodes no more at once)' : ''
  const run = `run ${figure(concurrency)} in flight${limit}${how}: ${figure(pace)} tok/s each`
  const share = output / most.outputTokensPerSecond
  if (share >= 0.99) return `${run}, and the server makes ${figure(output)} tok/s, the most it was seen to make.`
  const cost = `costs ${percent(1 - share)} of the ${figure(most.outputTokensPerSecond)} tok/s it makes at ${figure(most.load)}`
  return least.load === concurrency
    ? `${run}, and the server makes ${figure(output)} tok/s, which ${cost}.`
    : `${run} and ${figure(output)} tok/s in all, which ${cost}.`
}

function batchAdvice(evidence: Evidence, least: OperatingPoint): Advice {
  const product = PRODUCTS.batch
  const choice = choose(evidence, product)
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output } = choice.choice
  const times = output / least.outputTokensPerSecond
  const cost =
    concurrency === least.load
      ? 'more load than that only made less'
      : `${figure(times)} times what ${figure(least.load)} makes, and each stream slows by ${percent(1 - pace / least.tokensPerSecondPerUser)} to ${figure(pace)} tok/s`
  return {
    product,
    choice,
    sentence: `Overnight batch: run ${figure(concurrency)} in flight: ${figure(output)} tok/s, ${cost}.`,
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
