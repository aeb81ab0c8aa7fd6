import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Command } from 'commander'
import { meanLength, parseLengths, TwospeedError } from '../../core/index.ts'
import type { MeasureOptions } from '../../load/index.ts'
import type { Demand, Evidence } from '../../plan/index.ts'
import { amount, count, duration, flag, fromZero, lengths, refuse, share, word } from '../flags.ts'
import { parseRate, RATE_FORM, think } from '../load-flags.ts'
import type { EvidenceFlags } from './evidence.ts'
import { PRODUCT_HELP, type ProductFlags } from './product-flags.ts'

interface PlanFlags extends Omit<EvidenceFlags, 'outputTokens'>, ProductFlags {
  /** Per second. */
  readonly arrivals?: number
  readonly users?: number
  readonly think?: MeasureOptions['think']
  readonly peak?: number
  readonly headroom?: number
  readonly inputTokens?: number | string
  readonly outputTokens?: number | string
  readonly requests?: number
  readonly deadline?: number
  readonly replicas?: number
  readonly kvTokens?: number
  readonly kvBytes?: number
  readonly gpuHour?: number
  readonly strict?: true
  readonly json?: true
}

const rate = (text: string): number => parseRate(text) ?? refuse(`It takes ${RATE_FORM}.`)

export function planCommand(): Command {
  return new Command('plan')
    .description('How many replicas and GPUs hold a product for so many requests, and what that costs.')
    .argument('[evidence]', 'a run folder, a fit as a JSON file, or a points file')
    .addOption(
      flag('--points <file>', 'instead: concurrency,outputTokensPerSecond[,tokensPerSecondPerUser][,ttftMs]', word),
    )
    .addOption(flag('--law <law>', 'instead, or in place of the law of the points: a=5ms,b=0.25ms, or a fit', word))
    .addOption(flag('--product <name>', PRODUCT_HELP, word))
    .addOption(flag('--floor <n>', 'the least pace, tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'the longest wait for the first token, such as 500ms', duration))
    .addOption(flag('--share <n>', 'of a run: the share of requests that must get both, such as 0.9', share))
    .addOption(flag('--arrivals <rate>', 'requests that come, in the mean: 12/s', rate))
    .addOption(flag('--users <n>', 'in place of arrivals: users who ask again after each answer', count))
    .addOption(flag('--think <time>', 'how long a user pauses before asking again: 30s (not at all)', think))
    .addOption(flag('--output-tokens <n>', 'of an answer: 300, or lognormal:400,0.6 (those of the run)', lengths))
    .addOption(flag('--input-tokens <n>', 'of a prompt, the same way: what the KV cache holds', lengths))
    .addOption(flag('--peak <rate>', 'hold so many requests too: 20/s (the highest of chance, 99 % of the time)', rate))
    .addOption(flag('--headroom <n>', 'in place of it: room for so much more than the mean, 0.3 for 30 %', fromZero))
    .addOption(flag('--requests <n>', 'of a batch: how many answers', count))
    .addOption(flag('--deadline <time>', 'of a batch: when it must be done, such as 6h', duration))
    .addOption(flag('--replicas <n>', 'of a batch without a deadline: servers that share it (1)', count))
    .addOption(flag('--gpus <n>', 'of the server that was measured', count))
    .addOption(flag('--gpu-hour <price>', 'what a GPU costs an hour, in your own money: 2.5', fromZero))
    .addOption(flag('--kv-tokens <n>', 'what the KV cache of a replica holds (no limit)', count))
    .addOption(flag('--kv-bytes <n>', 'of one token in it', count))
    .option('--strict', 'refuse a plan that stands on a load outside those that were measured')
    .option('--json', 'print the answer as JSON')
    .action(runPlan)
}

async function runPlan(path: string | undefined, flags: PlanFlags): Promise<void> {
  const { productOf } = await import('./product.ts')
  const { evidenceOf } = await import('./evidence.ts')
  const { plan } = await import('../../plan/index.ts')
  const product = productOf(flags)
  if (product === undefined) {
    throw new TwospeedError('MISSING_VALUE', 'nothing says what is to be held', 'Add --product chat, or --floor 50.')
  }
  const { run, ...source } = sourceOf(path, flags)
  const { evidence } = await evidenceOf(run, source, product)
  const answer = plan(evidence, product, demandOf(flags, evidence, product), { strict: flags.strict === true })
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
    return
  }
  const { planText } = await import('../../report/index.ts')
  process.stdout.write(`${planText(answer)}\n`)
}

type Source = EvidenceFlags & Pick<ProductFlags, 'ttft'> & { readonly run?: string }

/** A folder is a run's, JSON a fit and any other file points. Lengths tell nothing of these: they are of what is planned for. */
function sourceOf(path: string | undefined, { points, law, gpus, ttft }: PlanFlags): Source {
  const flags = {
    ...(points !== undefined && { points }),
    ...(law !== undefined && { law }),
    ...(gpus !== undefined && { gpus }),
    ...(ttft !== undefined && { ttft }),
  }
  if (path === undefined) return flags
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  if (!isFile) return { ...flags, run: path }
  if (/(^|[\\/])run\.json$/.test(path)) return { ...flags, run: dirname(path) }
  const kind = path.endsWith('.json') ? 'law' : 'points'
  if (flags[kind] !== undefined || points !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `${path} and --${flags[kind] === undefined ? 'points' : kind} are two answers to one question`,
      'Give one of them.',
    )
  }
  return { ...flags, [kind]: path }
}

/** What the flags ask for; lengths that neither they nor the product say are those of the run. */
function demandOf(flags: PlanFlags, { fit }: Evidence, product: { readonly outputTokens?: number }): Demand {
  const { arrivals, users, think: pause, peak, headroom, requests, deadline, replicas } = flags
  const { kvTokens, kvBytes, gpuHour } = flags
  const isSaid = flags.outputTokens !== undefined || product.outputTokens !== undefined
  const outputTokens = meanOf(flags.outputTokens) ?? (isSaid ? undefined : fit.lengths?.output)
  const inputTokens = meanOf(flags.inputTokens) ?? (isSaid ? undefined : fit.lengths?.input)
  return {
    ...(arrivals !== undefined && { arrivalsPerSecond: arrivals }),
    ...(users !== undefined && { users }),
    ...(pause !== undefined && { thinkS: pause.meanS }),
    ...(peak !== undefined && { peakPerSecond: peak }),
    ...(headroom !== undefined && { headroom }),
    ...(requests !== undefined && { requests }),
    ...(deadline !== undefined && { deadlineS: deadline }),
    ...(replicas !== undefined && { replicas }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(kvTokens !== undefined && { kvTokens }),
    ...(kvBytes !== undefined && { kvBytes }),
    ...(gpuHour !== undefined && { gpuHour }),
  }
}

/** Little's law asks for means only. */
function meanOf(length: number | string | undefined): number | undefined {
  if (length === undefined) return undefined
  const parsed = parseLengths(String(length))
  return parsed && meanLength(parsed)
}
