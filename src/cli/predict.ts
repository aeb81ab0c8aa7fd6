import { Command } from 'commander'
import {
  figure,
  meanLength,
  type PredictedSearch,
  type Prediction,
  parseLengths,
  TwospeedError,
} from '../core/index.ts'
import type { Configuration, Parallelism } from '../model/index.ts'
import type { Asked } from './configuration.ts'
import { amount, count, counts, duration, flag, lengths, repeatable, word } from './flags.ts'

interface PredictFlags {
  readonly model?: string
  readonly gpu?: string
  readonly tp?: number
  readonly pp?: number
  readonly ep?: number
  readonly dp?: number
  readonly precision?: string
  readonly kvPrecision?: string
  readonly inputTokens?: number | string
  readonly outputTokens?: number | string
  readonly concurrency?: readonly number[]
  readonly sweep?: true
  readonly maxNumSeqs?: number
  readonly maxBatchedTokens?: number
  readonly prefill?: string
  readonly decode?: string
  readonly link?: string
  readonly floor?: number
  /** Seconds. */
  readonly ttft?: number
  readonly search?: true
  readonly gpus?: number
  readonly gpuHour?: number
  readonly calibrate?: readonly string[]
  readonly catalogue?: string
  readonly explain?: true
  readonly json?: true
}

export function predictCommand(): Command {
  return new Command('predict')
    .description('Both speeds of a server that nobody ran, from datasheets: what binds them, what they cost, how sure.')
    .addOption(flag('--model <name>', "a name of the catalogue, or the path of a model's config.json", word))
    .addOption(flag('--gpu <name>', 'such as h100-sxm', word))
    .addOption(flag('--tp <n>', 'GPUs that share every layer (tensor parallel); default 1', count))
    .addOption(flag('--pp <n>', 'stages of layers (pipeline parallel); default 1', count))
    .addOption(flag('--ep <n>', 'groups that share the experts out (expert parallel); default 1', count))
    .addOption(flag('--dp <n>', 'copies of the attention (data parallel); default 1', count))
    .addOption(
      flag('--precision <name>', 'of weights: bf16, fp8, fp4, int4 …; default the one it is published in', word),
    )
    .addOption(flag('--kv-precision <name>', 'of the KV cache: bf16 or fp8; default bf16', word))
    .addOption(flag('--input-tokens <n>', 'of a prompt; of a distribution, its mean', lengths))
    .addOption(flag('--output-tokens <n>', 'of an answer; of a distribution, its mean', lengths))
    .addOption(flag('--concurrency <list>', 'requests in flight, such as 1,8,64', counts))
    .option('--sweep', 'from 1 to as many as are served at once; the default')
    .addOption(
      flag('--max-num-seqs <n>', 'the most sequences that the engine decodes at once; default 1024, times --dp', count),
    )
    .addOption(flag('--max-batched-tokens <n>', 'the most tokens of one step; default 8192', count))
    .addOption(flag('--prefill <pool>', 'a pool that only reads prompts: instances × TP, such as 2x4', word))
    .addOption(flag('--decode <pool>', 'a pool that only writes answers, such as 1x8', word))
    .addOption(flag('--link <name>', 'between the pools: nvlink, pcie5, 400g … or 50GB/s', word))
    .addOption(flag('--floor <n>', 'the pace, tok/s/user, to compare split pools or choose from a search by', amount))
    .addOption(flag('--ttft <time>', 'of a search: the longest mean wait for the first token, such as 500ms', duration))
    .option('--search', 'of all configurations of --gpus, those that none beats in both speeds')
    .addOption(flag('--gpus <n>', 'how many a search may use', count))
    .addOption(flag('--gpu-hour <price>', 'of one GPU, for the cost of a million tokens', amount))
    .addOption(
      repeatable(
        '--calibrate <file>',
        'scale by measurements of a neighbour: a run, points or sweeps as CSV; behind it what differs, as @tp=4,input-tokens=1024',
      ),
    )
    .addOption(flag('--catalogue <file>', 'JSON of your own GPUs and models', word))
    .option('--explain', 'print where the time of one step goes, at the greatest load; of split pools, of one of each')
    .option('--json', 'print the answer as JSON')
    .action(runPredict)
}

async function runPredict(flags: PredictFlags): Promise<void> {
  refuseMeaningless(flags)
  const asked = askedOf(flags)
  const found = await answerOf(flags, asked)
  const answer = { ...found, explanation: [...meansOf(flags), ...found.explanation] }
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
  } else {
    const { predictionText, predictedSearchText } = await import('../report/index.ts')
    process.stdout.write(`${'search' in answer ? predictedSearchText(answer) : predictionText(answer)}\n`)
  }
  // As of choose: no configuration holds what was asked for. The answer says how near one can get.
  const heldNone =
    'search' in answer && (answer.frontier.length === 0 || (flags.floor !== undefined && answer.best === undefined))
  if (heldNone) process.exitCode = 1
}

async function answerOf(flags: PredictFlags, asked: Asked): Promise<Prediction | PredictedSearch> {
  const { optionsOf, readCatalogue } = await import('./configuration.ts')
  const { createConfiguration, parseLink, parsePool, predict, predictSearch, predictSplit } = await import(
    '../model/index.ts'
  )
  const { neighboursOfAll } = await import('./neighbours.ts')
  const own = flags.catalogue === undefined ? undefined : readCatalogue(flags.catalogue)
  const given = optionsOf(asked, own)
  const { gpu } = given
  const options = {
    lengths: { inputTokens: asked.inputTokens, outputTokens: asked.outputTokens },
    samples: await neighboursOfAll(flags.calibrate ?? [], asked, own),
    configurationOf: (parallelism: Parallelism): Configuration => createConfiguration({ ...given, ...parallelism }),
    ...(flags.link !== undefined && { link: parseLink(flags.link, gpu) }),
    ...(flags.concurrency !== undefined && { loads: flags.concurrency }),
    ...(flags.gpuHour !== undefined && { pricePerHour: flags.gpuHour }),
    ...(flags.floor !== undefined && { floor: flags.floor }),
    ...(flags.ttft !== undefined && { ttftMs: 1000 * flags.ttft }),
  }
  if (flags.search === true) return predictSearch({ ...options, model: given.model, gpu, gpus: flags.gpus ?? 1 })
  if (flags.prefill !== undefined && flags.decode !== undefined) {
    const pools = { prefill: parsePool('--prefill', flags.prefill), decode: parsePool('--decode', flags.decode) }
    return predictSplit({ ...options, ...pools, explain: flags.explain === true })
  }
  return predict(createConfiguration(given), { ...options, explain: flags.explain === true })
}

/** What stands for a distribution in the whole answer. */
function meansOf({ inputTokens, outputTokens }: PredictFlags): readonly string[] {
  return Object.entries({ '--input-tokens': inputTokens, '--output-tokens': outputTokens }).flatMap(([name, given]) =>
    typeof given === 'string' ? [`${name} ${given} is taken as its mean, ${figure(tokensOf(given))} tokens.`] : [],
  )
}

function askedOf(flags: PredictFlags): Asked {
  const { model, gpu, inputTokens, outputTokens } = flags
  if (model === undefined || gpu === undefined || inputTokens === undefined || outputTokens === undefined) {
    const needed = { '--model': model, '--gpu': gpu, '--input-tokens': inputTokens, '--output-tokens': outputTokens }
    const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []))
    throw new TwospeedError(
      'MISSING_VALUE',
      `predict needs ${missing.join(', ')}`,
      'Such as twospeed predict --model llama-3.1-8b --gpu h100-sxm --input-tokens 1024 --output-tokens 256.',
    )
  }
  const given = flags as Partial<Asked>
  const keys = ['tp', 'pp', 'ep', 'dp', 'precision', 'kvPrecision', 'maxNumSeqs', 'maxBatchedTokens'] as const
  const rest = Object.fromEntries(keys.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]])))
  return { model, gpu, inputTokens: tokensOf(inputTokens), outputTokens: tokensOf(outputTokens), ...rest }
}

/** A closed form knows means only. */
function tokensOf(length: number | string): number {
  const parsed = parseLengths(String(length))
  return parsed === undefined ? Number(length) : meanLength(parsed)
}

/** Every pair of flags that says two things, or nothing. */
function refuseMeaningless(flags: PredictFlags): void {
  const { search, prefill, decode, link, gpus, tp, pp, ep, dp, concurrency, sweep, floor, ttft, explain } = flags
  const split = prefill !== undefined || decode !== undefined
  const ways = Object.entries({ tp, pp, ep, dp }).flatMap(([way, value]) => (value === undefined ? [] : [`--${way}`]))
  const problems = [
    search === true && gpus === undefined && '--search needs to know how many GPUs it may use (--gpus)',
    search === true && split && '--search looks for the pools itself, and --prefill and --decode give them',
    search === true &&
      ways.length > 0 &&
      `--search looks for TP, PP, EP and DP itself, and ${ways.join(', ')} gives one`,
    search === true && concurrency !== undefined && '--search looks at all loads, and --concurrency names some',
    search === true && explain === true && '--explain is of one configuration, and --search is of many',
    search !== true &&
      gpus !== undefined &&
      (split || gpus !== (tp ?? 1) * (pp ?? 1) * (dp ?? 1)) &&
      '--gpus is how many a --search may use; of one configuration they are TP × PP × DP, of pools all of theirs',
    split && (prefill === undefined || decode === undefined) && '--prefill and --decode go together',
    split && ways.length > 0 && `${ways.join(', ')}: a pool says its own TP (2x4), and more behind it (1x1,dp=8,ep=8)`,
    !split && search !== true && link !== undefined && '--link is of split pools or a --search',
    !split && search !== true && floor !== undefined && '--floor is of split pools or a --search',
    search !== true && ttft !== undefined && '--ttft is of a --search',
    concurrency !== undefined && sweep === true && '--sweep takes all loads, and --concurrency names some',
  ].filter((problem) => problem !== false)
  if (problems.length === 0) return
  throw new TwospeedError('CONFLICTING_FLAGS', problems.join('; '), 'See twospeed predict --help.')
}
