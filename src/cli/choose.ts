import { Command } from 'commander'
import { type Objectives, type Run, TwospeedError } from '../core/index.ts'
import type { Evidence, Product } from '../plan/index.ts'
import type { Subject } from './fit-subjects.ts'
import { amount, count, duration, flag, share, word } from './flags.ts'
import { type GivenLaw, readFit } from './law.ts'

interface ChooseFlags {
  readonly points?: string
  readonly floor?: number
  /** Seconds. */
  readonly ttft?: number
  readonly share?: number
  readonly product?: string
  readonly gpus?: number
  readonly outputTokens?: number
  readonly law?: string
  readonly json?: true
}

export function chooseCommand(): Command {
  return new Command('choose')
    .description('Which load a product should run at, and what that costs the other speed.')
    .argument('[run]', 'a run folder')
    .addOption(
      flag(
        '--points <file>',
        'instead of a run: concurrency,outputTokensPerSecond[,tokensPerSecondPerUser][,ttftMs], or a table of one sweep',
        word,
      ),
    )
    .addOption(flag('--floor <n>', 'the least pace, tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'the longest wait for the first token, such as 500ms', duration))
    .addOption(flag('--share <n>', 'of a run: the share of requests that must get both, such as 0.9', share))
    .addOption(flag('--product <name>', 'chat, batch, or a file that holds a floor, a ttft and a share', word))
    .addOption(flag('--gpus <n>', 'of the whole server', count))
    .addOption(flag('--output-tokens <n>', 'of an answer: points with ttftMs and no pace tell it by that', count))
    .addOption(flag('--law <law>', 'believe this law, or the fit in a file, instead of fitting one', word))
    .option('--json', 'print the answer as JSON')
    .action(runChoose)
}

async function runChoose(run: string | undefined, flags: ChooseFlags): Promise<void> {
  const product = await productOf(flags)
  const { choose, adviceOn } = await import('../plan/index.ts')
  const { evidence, objectives, choices } = await givenBy(run, flags, product)
  if (flags.ttft !== undefined && evidence.curve.points.every((point) => point.ttftMs === undefined)) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      '--ttft cannot be judged: nothing given holds a wait for the first token',
      'Add a ttftMs column, or leave the flag out.',
    )
  }
  const choice = product === undefined ? undefined : choose(evidence, product)
  const advice = product === undefined ? adviceOn(evidence, objectives, choices?.[0]) : []
  if (flags.json === true) {
    const { fit, frontier } = evidence
    const answer = choice ?? { fit, frontier, choices: advice.flatMap(({ choice: advised }) => advised ?? []) }
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
    return
  }
  const { choiceText } = await import('../report/index.ts')
  process.stdout.write(`${choiceText(evidence, choice, advice)}\n`)
}

/** What there is to choose from, and what a run was asked to hold and found itself. */
interface Given extends Pick<Run, 'objectives' | 'choices'> {
  readonly evidence: Evidence
}

/** What is asked for: a product, the flags laid over it, or the flags alone. Undefined: nothing, so both speeds are only told. */
async function productOf(flags: ChooseFlags): Promise<Product | undefined> {
  const { readProduct } = await import('./product.ts')
  const base = flags.product === undefined ? undefined : readProduct(flags.product)
  const asks = {
    ...(flags.floor !== undefined && { tokensPerSecond: flags.floor }),
    ...(flags.ttft !== undefined && { ttftMs: 1000 * flags.ttft }),
    ...(flags.share !== undefined && { share: flags.share }),
  }
  const asked = Object.keys(asks).length > 0
  if (base?.goal === 'throughput' && asked) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--product ${base.name} wants the highest throughput, which takes no --floor, --ttft or --share`,
      'Leave the product or the objective out.',
    )
  }
  if (base === undefined && asked && flags.floor === undefined && flags.ttft === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      '--share says how many requests must get something, but neither --floor nor --ttft says what',
      'Add --floor 50, for example.',
    )
  }
  if (base !== undefined) return { ...base, ...asks }
  return asked ? { name: 'objective', goal: 'pace', ...asks } : undefined
}

async function givenBy(run: string | undefined, flags: ChooseFlags, product: Product | undefined): Promise<Given> {
  const { evidenceOfPoints, evidenceOfRun } = await import('../plan/index.ts')
  const given = flags.law === undefined ? undefined : affineLaw(flags.law)
  const law = given === undefined ? {} : { law: given.law }
  if (run !== undefined && flags.points !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      'a run folder and --points are two answers to one question',
      'Give one of them.',
    )
  }
  if (run !== undefined) {
    const { loadRun } = await import('./run.ts')
    if (product?.share === undefined) {
      const loaded = await loadRun(run, flags.gpus)
      return { ...loaded, evidence: evidenceOfRun(loaded, law) }
    }
    // The records are judged anew, by what is asked here: who has the pace need not be who has the wait.
    const loaded = await loadRun(run, flags.gpus, objectivesOf(product))
    return { ...loaded, evidence: evidenceOfRun(loaded, { ...law, share: product.share }) }
  }
  if (product?.share !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      'a share of requests needs a run folder: points hold one figure for all',
      'Give a run folder, or leave the share out.',
    )
  }
  if (flags.points === undefined && flags.law === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      'nothing to choose from',
      'Give a run folder, --points points.csv or --law a=5ms,b=0.25ms.',
    )
  }
  if (flags.outputTokens !== undefined && flags.points === undefined) {
    throw new TwospeedError('CONFLICTING_FLAGS', '--output-tokens is for --points without a pace', 'Leave it out.')
  }
  const server = flags.points === undefined ? undefined : await sweepOf(flags.points, flags)
  const { points: loads = [], deployment } = given?.server ?? {}
  const gpus = flags.gpus ?? (server?.sweep && server.deployment.gpus) ?? deployment?.gpus ?? 1
  if (server !== undefined) {
    return { evidence: evidenceOfPoints(server.points, { ...server.deployment, gpus, ...law }) }
  }
  // What a fit was fitted to says all that it said: the law is fitted to it once more.
  return loads.length > 0
    ? { evidence: evidenceOfPoints(loads, { ...deployment, gpus }) }
    : { evidence: evidenceOfPoints([], { ...deployment, gpus, ...given }) }
}

/** The one sweep of a file. A points file does not say the GPUs; a table does. */
async function sweepOf(path: string, flags: ChooseFlags): Promise<Subject> {
  const { ofCsv } = await import('./fit-subjects.ts')
  const [subject, ...others] = await ofCsv(path, flags)
  if (subject !== undefined && others.length === 0) return subject
  const names = [subject, ...others].map((sweep) => sweep?.name ?? '')
  const more = names.length > SHOWN ? `; and ${names.length - SHOWN} more` : ''
  throw new TwospeedError(
    'INVALID_POINTS',
    `${path} holds ${names.length} sweeps, and a choice is made from one: ${names.slice(0, SHOWN).join('; ')}${more}`,
    'Give a file with the rows of one sweep.',
  )
}

/** Sweeps that an error names. */
const SHOWN = 5

const objectivesOf = ({ tokensPerSecond, ttftMs }: Product): Objectives => ({
  ...(tokensPerSecond !== undefined && { tokensPerSecond }),
  ...(ttftMs !== undefined && { ttftMs }),
})

/** Terms c and d need to know how long contexts and prompts are, which no points file says. */
function affineLaw(source: string): GivenLaw {
  const given = readFit(source)
  const { law } = given
  if (law.perThousandKvTokensS === undefined && law.perPrefillTokenS === undefined) return given
  throw new TwospeedError(
    'INVALID_VALUE',
    `--law ${source}: choose takes a law of a and b; c and d need lengths that the points do not hold`,
    'Add to b what a sequence of your length costs through c: b + c × its tokens / 1000.',
  )
}
