import { Command } from 'commander'
import { type Choice, type ChoiceTable, type ProductWork, TwospeedError } from '../../core/index.ts'
import type { Candidate, ChoosingOptions, Product } from '../../plan/index.ts'
import { amount, duration, flag, share } from '../flags.ts'
import { answerAndPrint } from './answering.ts'
import { lengthsOf, usualLengths, wholeLengths } from './lengths.ts'
import { type Answered, addPrintFlags, type PrintFlags, warned } from './printed.ts'
import { type ProductFlags, productOption } from './product-flags.ts'
import { addSourceFlags, EVIDENCE_HELP, type SourceFlags } from './source-flags.ts'
import type { Sources } from './sources.ts'
import { type Question, whatIfOption } from './what-if.ts'

interface ChooseFlags extends SourceFlags, ProductFlags, PrintFlags {
  readonly strict?: true
  readonly whatIf?: readonly string[]
}

export function chooseCommand(): Command {
  const command = new Command('choose')
    .description('Which load a product should run at, of one way to serve or of several, and what that costs.')
    .argument('[evidence...]', EVIDENCE_HELP)
    .addOption(flag('--floor <n>', 'the least pace, tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'the longest wait for the first token, such as 500ms', duration))
    .addOption(flag('--share <n>', 'of a run: the share of requests that must get both, such as 0.9', share))
    .addOption(productOption())
  return addPrintFlags(
    addSourceFlags(command, 'of an answer, the same way; points with ttftMs and no pace tell it by that')
      .option('--strict', 'refuse a choice outside what was measured')
      .addOption(whatIfOption('floor=60')),
  ).action(runChoose)
}

async function runChoose(paths: readonly string[], flags: ChooseFlags): Promise<void> {
  await answerAndPrint({ paths, flags }, chooseCommand, { answerOf, comparedOf: chosenIn })
}

/** Without an objective there is no choice that could be another. */
function chosenIn({ answer }: Answered<object>): Choice | ChoiceTable {
  if ('choice' in answer || 'products' in answer) return answer as Choice | ChoiceTable
  throw nothingToHold('--what-if changes what is chosen for a product')
}

const nothingToHold = (why: string): TwospeedError =>
  new TwospeedError(
    'MISSING_VALUE',
    `${why}, and nothing says what is to be held`,
    'Add --product chat, or --floor 50.',
  )

async function answerOf({ paths, flags }: Question<ChooseFlags>): Promise<Answered<object>> {
  const { productsOf } = await import('./product.ts')
  const { sourcesOf } = await import('./sources.ts')
  const planned = productsOf(flags)
  const products = planned.map(({ product }) => product)
  const paceTokens = lengthsOf(flags).output
  const sources = await sourcesOf(paths, flags, {
    products,
    lengths: usualLengths(flags, products),
    ...(paceTokens !== undefined && { paceTokens }),
    sharesForetold: false,
  })
  return warned(await chosenFrom(sources, products, flags), sources.warnings)
}

async function chosenFrom(
  sources: Sources,
  products: readonly (Product & ProductWork)[],
  flags: ChooseFlags,
): Promise<Answered<object>> {
  const [product, ...others] = products
  if (product === undefined) return advised(sources, flags)
  const { choiceDocument, productsDocument } = await import('../../report/index.ts')
  const options = optionsOf(flags, others.length > 0)
  const candidates = await withSplits(sources, products, flags)
  if (others.length > 0) {
    const { chooseForProducts } = await import('../../plan/index.ts')
    const answer = chooseForProducts(candidates, products, options)
    const isPartial = answer.products.some((row) => 'error' in row)
    return { answer, document: productsDocument(answer), ...(isPartial && { exitCode: 1 }) }
  }
  const { chooseAmong } = await import('../../plan/index.ts')
  const asked = { ...product, ...workOf(flags) }
  const answer = chooseAmong(candidates, asked, options)
  const name = answer.choice.configuration
  const chosen = candidates.find((candidate) => candidate.name === name) ?? candidates[0]
  return { answer, document: choiceDocument(answer, chosen?.evidenceFor(wholeLengths(usualLengths(flags, products)))) }
}

/** Of one product the flags go before what its file says. */
function workOf(flags: ChooseFlags): ProductWork {
  const { input, output } = lengthsOf(flags)
  return { ...(input !== undefined && { inputTokens: input }), ...(output !== undefined && { outputTokens: output }) }
}

function optionsOf(flags: ChooseFlags, isOfSeveral: boolean): ChoosingOptions {
  const lengths = isOfSeveral ? wholeLengths(lengthsOf(flags)) : undefined
  return {
    ...(lengths !== undefined && { lengths }),
    ...(typeof flags.gpuHour === 'number' && { gpuHour: flags.gpuHour }),
    ...(flags.strict === true && { strict: true }),
  }
}

/** Where the layout is left open, groups of split pools too, those that are worth a look for one of the products. */
async function withSplits(
  { candidates, splits }: Sources,
  products: readonly (Product & ProductWork)[],
  flags: ChooseFlags,
): Promise<readonly Candidate[]> {
  if (splits.length === 0) return candidates
  const { splitCandidates } = await import('../../plan/index.ts')
  const all = new Map(candidates.map((candidate) => [candidate.name, candidate]))
  for (const product of products) {
    const lengths = wholeLengths(usualLengths(flags, [product, ...products]))
    if (lengths === undefined) continue
    for (const group of splitCandidates(splits, product, lengths)) {
      if (!all.has(group.name)) all.set(group.name, group)
    }
  }
  return [...all.values()]
}

/** Nothing is asked of it: both speeds, and what a run found itself or usual products would choose. */
async function advised({ candidates, run }: Sources, flags: ChooseFlags): Promise<Answered<object>> {
  const [candidate, ...others] = candidates
  if (candidate === undefined || others.length > 0) {
    throw nothingToHold(`a choice among ${candidates.length} ways to serve is made for a product`)
  }
  const { adviceOn } = await import('../../plan/index.ts')
  const { adviceDocument } = await import('../../report/index.ts')
  const evidence = candidate.evidenceFor(wholeLengths(lengthsOf(flags)))
  const advice = adviceOn(evidence, run?.objectives, run?.choices?.[0])
  const { fit, frontier } = evidence
  const answer = { fit, frontier, choices: advice.flatMap(({ choice }) => choice ?? []) }
  return { answer, document: adviceDocument(evidence, advice) }
}
