import { Command } from 'commander'
import { type FleetPlan, type Plan, TwospeedError } from '../../core/index.ts'
import type { AskedProduct, Candidate, DaySource, Evidence, MeanLengths } from '../../plan/index.ts'
import { amount, count, duration, flag, fromZero, refuse, share, word } from '../flags.ts'
import { parseRate, RATE_FORM } from '../load-flags.ts'
import { curve } from '../simulate/curve.ts'
import { answerAndPrint } from './answering.ts'
import { askedOf, type DemandFlags, dayOf } from './demand.ts'
import { usualLengths } from './lengths.ts'
import { withMeasuredLengths } from './measured-lengths.ts'
import { pause } from './pause.ts'
import { type Answered, addPrintFlags, type PrintFlags, warned } from './printed.ts'
import { type ProductFlags, productOption } from './product-flags.ts'
import { addSourceFlags, EVIDENCE_HELP } from './source-flags.ts'
import type { Sources } from './sources.ts'
import { type Question, whatIfOption } from './what-if.ts'

interface PlanFlags extends DemandFlags, ProductFlags, PrintFlags {
  readonly strict?: true
  readonly whatIf?: readonly string[]
}

const rate = (text: string): number => parseRate(text) ?? refuse(`It takes ${RATE_FORM}.`)

export function planCommand(): Command {
  const command = new Command('plan')
    .description(
      'How many replicas and GPUs hold a product for so many requests, of which way to serve, and what that costs.',
    )
    .argument('[evidence...]', EVIDENCE_HELP)
    .addOption(productOption())
    .addOption(flag('--floor <n>', 'the least pace, tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'the longest wait for the first token, such as 500ms', duration))
    .addOption(
      flag(
        '--share <n>',
        'the share of requests that must get both, such as 0.9: of a run counted, else simulated',
        share,
      ),
    )
    .addOption(flag('--arrivals <rate>', 'requests that come, in the mean: 12/s', rate))
    .addOption(flag('--users <n>', 'in place of arrivals: users who ask again after each answer', count))
    .addOption(flag('--think <time>', 'how long a user pauses before asking again: 30s (0s)', pause))
    .addOption(flag('--trace <file>', 'in place of arrivals: a recorded load, as simulate has it', word))
    .addOption(flag('--speedup <n>', 'play the trace so many times as fast (1)', amount))
    .addOption(flag('--curve <points>', 'in place of arrivals: rates over a day, 0h:2/s,8h:20/s,24h:2/s', curve))
    .addOption(flag('--startup <time>', 'of a day: from the order of a replica until it answers, such as 5m', duration))
    .addOption(flag('--peak <rate>', 'hold so many requests too: 20/s (the highest of chance, 99 % of the time)', rate))
    .addOption(flag('--headroom <n>', 'in place of it: room for so much more than the mean, 0.3 for 30 %', fromZero))
    .addOption(flag('--requests <n>', 'of a batch: how many answers', count))
    .addOption(flag('--deadline <time>', 'of a batch: when it must be done, such as 6h', duration))
    .addOption(flag('--replicas <n>', 'of a batch without a deadline: servers that share it (1)', count))
  return addPrintFlags(
    addSourceFlags(command)
      .addOption(flag('--gpu-watts <n>', 'of one GPU, where the catalogue does not know it', amount))
      .addOption(flag('--kv-tokens <n>', 'what the KV cache of a replica holds (no limit)', count))
      .addOption(flag('--kv-bytes <n>', 'of one token in it', count))
      .option('--strict', 'refuse a plan that stands on a load outside those that were measured')
      .addOption(whatIfOption('arrivals=24/s')),
  ).action(runPlan)
}

async function runPlan(paths: readonly string[], flags: PlanFlags): Promise<void> {
  await answerAndPrint({ paths, flags }, planCommand, {
    answerOf,
    comparedOf: ({ answer }) => answer as Plan | FleetPlan,
  })
}

async function answerOf({ paths, flags }: Question<PlanFlags>): Promise<Answered<object>> {
  const { productsOf } = await import('./product.ts')
  const { sourcesOf } = await import('./sources.ts')
  const planned = productsOf(flags)
  const products = planned.map(({ product }) => product)
  if (products.length === 0) {
    throw new TwospeedError('MISSING_VALUE', 'nothing says what is to be held', 'Add --product chat, or --floor 50.')
  }
  const day = await dayOf(flags)
  const lengths = { ...(await lengthsOfDay(day)), ...usualLengths(flags, products) }
  const sources = await sourcesOf(paths, flags, { products, lengths, sharesForetold: true })
  const { overTrace } = await import('./over-trace.ts')
  const { asked, warning } = withMeasuredLengths(askedOf(flags, planned, day), sources.candidates)
  return warned(await plannedFrom(sources, asked, flags), [
    ...sources.warnings,
    ...overTrace(asked, flags),
    ...(warning === undefined ? [] : [warning]),
  ])
}

async function plannedFrom(
  { candidates, splits }: Sources,
  asked: readonly AskedProduct[],
  flags: PlanFlags,
): Promise<Answered<Plan | FleetPlan>> {
  const { planFleet, planProducts } = await import('../../plan/index.ts')
  const { fleetDocument, planDocument } = await import('../../report/index.ts')
  const options = { splits, ...(flags.strict === true && { strict: true }) }
  const [first, ...others] = asked
  if (first === undefined || others.length > 0) {
    const answer = planProducts(candidates, asked, options)
    return { answer, document: fleetDocument(answer), ...(answer.refused.length > 0 && { exitCode: 1 }) }
  }
  const { lengths: drawn } = first
  const answer = planFleet(candidates, first.product, first.demand, { ...options, ...(drawn && { lengths: drawn }) })
  return { answer, document: planDocument(answer, evidenceOf(answer, candidates)) }
}

/** Of the way that is taken. Split pools are no candidate: the frontier of a fleet is none of a unit. */
function evidenceOf(
  { configuration, inputTokens: input, outputTokens: output }: Plan,
  candidates: readonly Candidate[],
): Evidence | undefined {
  const taken =
    candidates.find(({ name }) => name === configuration) ?? (configuration === undefined ? candidates[0] : undefined)
  return taken?.evidenceFor({ output, ...(input !== undefined && { input }) })
}

async function lengthsOfDay(day: DaySource | undefined): Promise<Partial<MeanLengths>> {
  if (day === undefined) return {}
  const { demandOfDay } = await import('../../plan/index.ts')
  const { inputTokens, outputTokens } = demandOfDay(day)
  return {
    ...(inputTokens !== undefined && { input: inputTokens }),
    ...(outputTokens !== undefined && { output: outputTokens }),
  }
}
