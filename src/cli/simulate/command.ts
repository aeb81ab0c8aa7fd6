import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { counted, type Run, TwospeedError } from '../../core/index.ts'
import { amount, count, counts, duration, flag, lengths, refuse, share, wholeNumber, word } from '../flags.ts'
import { arrivalProcess, rates, think } from '../load-flags.ts'
import { createProgressLine } from '../progress.ts'
import { curve } from './curve.ts'
import type { SimulateFlags } from './flags.ts'

const ROUTES = {
  'round-robin': 'roundRobin',
  'least-in-flight': 'leastInFlight',
  'least-tokens': 'leastTokens',
  'prefix-cache': 'prefixCache',
} as const

const route = (text: string): SimulateFlags['route'] => {
  const found = Object.entries(ROUTES).find(([name]) => name === text)?.[1]
  return found ?? refuse(`It takes ${Object.keys(ROUTES).join(', ')}.`)
}

export function simulateCommand(): Command {
  return new Command('simulate')
    .description('Both speeds, queues and percentiles of a serving fleet that nobody ran, request by request.')
    .addOption(flag('--law <law>', 'the time of a step: a=5ms,b=0.25ms, or a fit as a JSON file', word))
    .addOption(flag('--model <name>', "in place of a law: a name of the catalogue, or a model's config.json", word))
    .addOption(flag('--gpu <name>', 'what the model runs on, such as h100-sxm', word))
    .addOption(flag('--tp <n>', 'GPUs that share every layer (1)', count))
    .addOption(flag('--pp <n>', 'stages of layers (1)', count))
    .addOption(flag('--ep <n>', 'groups that share the experts out (1)', count))
    .addOption(flag('--dp <n>', 'engines of one replica, each with a clock of its own (1)', count))
    .addOption(flag('--precision <name>', 'of weights, as of predict', word))
    .addOption(flag('--kv-precision <name>', 'of the KV cache: bf16 or fp8 (bf16)', word))
    .addOption(flag('--catalogue <file>', 'JSON of your own GPUs and models', word))
    .addOption(flag('--replicas <n>', 'copies of the server that requests are shared out to (1)', count))
    .addOption(flag('--route <name>', `to which one: ${Object.keys(ROUTES).join(', ')} (least-in-flight)`, route))
    .addOption(flag('--load-guard <n>', 'of prefix-cache: none with more than so many times the mean (1.5)', amount))
    .addOption(flag('--gpus <n>', 'of the whole fleet, where a law is given', count))
    .addOption(flag('--prefill <pool>', 'replicas that only read prompts: instances × TP, such as 2x4', word))
    .addOption(flag('--decode <pool>', 'replicas that only write answers, such as 1x8', word))
    .addOption(flag('--link <name>', 'between the pools: nvlink, pcie5, 400g … or 50GB/s', word))
    .addOption(
      flag('--link-concurrency <n>', 'transfers at once (as many as the side with fewer instances has)', count),
    )
    .addOption(flag('--kv-bytes <n>', 'of one token, where a law is given', count))
    .addOption(flag('--max-num-seqs <n>', 'sequences at once in an engine (4096; of a model 1024)', count))
    .addOption(flag('--max-batched-tokens <n>', 'tokens of a step, prompts included (8192)', count))
    .addOption(
      flag('--kv-tokens <n>', 'tokens that the KV cache of an engine holds (no limit; of a model its memory)', count),
    )
    .addOption(flag('--block-tokens <n>', 'tokens of a KV block (16)', count))
    .option('--prefill-first', 'whole prompts go before any decode, in steps of their own (mixed in, in chunks)')
    .option('--reserve', 'room for the whole answer is held from the start (taken as tokens come, by preemption)')
    .option('--whole-prompt', 'a prompt is admitted only where all of it has room')
    .option('--async-scheduling', 'the next step is decided when the one before begins')
    .option('--prefix-cache', 'blocks of the same beginning are read once')
    .addOption(flag('--stream-interval <n>', 'tokens that the server sends at a time after the first (1)', count))
    .addOption(flag('--concurrency <list>', 'users at once: 1,2,4', counts))
    .addOption(flag('--rate <list>', 'in place of users, requests that come when they like: 5/s,10/s', rates))
    .addOption(flag('--curve <list>', 'a rate over the day: 0h:2/s,8h:20/s,24h:2/s, straight between', curve))
    .addOption(
      flag('--trace <file>', 'a recorded load: Azure CSV, Mooncake JSONL, CSV of arrival_s, or own lines', word),
    )
    .addOption(flag('--speedup <n>', 'play the trace so many times as fast (1)', amount))
    .addOption(flag('--arrival-process <name>', 'of a rate: constant, poisson or gamma (poisson)', arrivalProcess))
    .addOption(flag('--burstiness <n>', 'shape of gamma arrivals: 1 is Poisson, less comes in bursts', amount))
    .addOption(flag('--ramp <time>', 'the load comes up evenly over so long', duration))
    .addOption(flag('--think <time>', 'of a user between two requests: 2s, or exponential:2s (none)', think))
    .addOption(flag('--input-tokens <n>', 'length of a prompt: 512, uniform:100-200, lognormal:400,0.6 (512)', lengths))
    .addOption(flag('--output-tokens <n>', 'length of an answer, the same way (128)', lengths))
    .addOption(flag('--lengths <file>', 'CSV of input,output pairs that lengths are drawn from', word))
    .addOption(flag('--prefix-share <n>', 'of each prompt, a beginning that others have too, such as 0.5', share))
    .addOption(flag('--prefixes <n>', 'how many such beginnings there are (1)', count))
    .addOption(flag('--turns <n>', 'requests of a conversation, each with all that was said before (1)', count))
    .addOption(flag('--lanes <file>', 'YAML of several streams of requests and the pools they go to', word))
    .addOption(
      flag(
        '--requests <n>',
        'of each point, warm-up included (2000, of --find 10000, or more for many in flight); of a trace its first',
        count,
      ),
    )
    .addOption(flag('--duration <time>', 'in place of it, of each point after its warm-up', duration))
    .addOption(flag('--repeat <n>', 'simulate each load with so many seeds (1; of --find 5)', count))
    .addOption(flag('--floor <n>', 'an objective: tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'an objective: time to the first token, such as 500ms', duration))
    .option('--find', 'the greatest rate, or with --concurrency the most users, that hold --floor and --ttft')
    .addOption(
      flag('--share <n>', 'the share of requests that must get both, such as 0.9 (the typical request)', share),
    )
    .addOption(flag('--seed <n>', 'of arrivals and lengths, as of measure (0)', wholeNumber))
    .addOption(flag('--workers <n>', 'threads that simulate, 0 for the main one (one for each core)', wholeNumber))
    .addOption(flag('--out <folder>', 'a run folder with every record, for report, fit and choose', word))
    .option('--json', 'print run.json and nothing else')
    .action(runSimulate)
}

async function runSimulate(flags: SimulateFlags): Promise<void> {
  refuseMeaningless(flags)
  const line = createProgressLine(process.stderr)
  try {
    const run = await simulated(flags, line)
    line.close()
    await print(run, flags)
  } catch (error) {
    line.close()
    throw error
  }
}

type Line = ReturnType<typeof createProgressLine>

async function simulated(flags: SimulateFlags, line: Line): Promise<Run> {
  const { setUp } = await import('./setup.ts')
  const { doAll } = await import('./threads.ts')
  const { simulatedRun } = await import('./run.ts')
  const setup = await setUp(flags, (text) => line.say(text))
  const threads = flags.workers ?? availableParallelism()
  const onDone = (done: number): void => line.status(`simulated ${done} of ${counted(setup.jobs.length, 'load')}`)
  if (flags.out === undefined) return simulatedRun(setup, await doAll(setup.plan, setup.jobs, { threads, onDone }))
  const { createRunFolder } = await import('../../store/index.ts')
  const writer = await createRunFolder(flags.out, setup.header)
  try {
    // Of a search the records of its first seed, whose loads are the points of the run.
    const [first, ...others] = setup.jobs
    const isSearch = first?.kind === 'find'
    const recorded = isSearch ? [first] : setup.jobs
    const done = await doAll(setup.plan, recorded, { threads, onDone, onRecord: (record) => writer.append(record) })
    const more = isSearch ? await doAll(setup.plan, others, { threads, onDone }) : []
    const run = simulatedRun(setup, [...done, ...more])
    await writer.update(run)
    return run
  } finally {
    await writer.close()
  }
}

async function print(run: Run, { json, out }: SimulateFlags): Promise<void> {
  const { htmlReport, textReport } = await import('../../report/index.ts')
  if (out !== undefined) {
    const { writeFileSync } = await import('node:fs')
    const { join } = await import('node:path')
    writeFileSync(join(out, 'report.html'), htmlReport(run))
  }
  const where = out === undefined ? '' : `\n\nrun folder: ${out}\nreport:     ${out}/report.html`
  process.stdout.write(json === true ? `${JSON.stringify(run, null, 2)}\n` : `${textReport(run)}${where}\n`)
}

/** Every pair of flags that says two things, or nothing. */
function refuseMeaningless(flags: SimulateFlags): void {
  const { law, model, prefill, decode, link, linkConcurrency, kvBytes, tp, pp, ep, dp, replicas, gpus } = flags
  const split = prefill !== undefined || decode !== undefined
  const ways = Object.entries({ tp, pp, ep, dp, replicas, gpus }).flatMap(([way, value]) =>
    value === undefined ? [] : [`--${way}`],
  )
  const problems = [
    law !== undefined && model !== undefined && '--law and --model both say how long a step takes',
    flags.requests !== undefined &&
      flags.duration !== undefined &&
      '--requests and --duration both say when a point ends',
    split && (prefill === undefined || decode === undefined) && '--prefill and --decode go together',
    split && flags.lanes !== undefined && '--lanes says its own pools, and --prefill and --decode would too',
    split && ways.length > 0 && `${ways.join(', ')}: a pool says its own (2x4), and more behind it (1x1,dp=8,ep=8)`,
    !split &&
      flags.lanes === undefined &&
      (link ?? linkConcurrency ?? kvBytes) !== undefined &&
      '--link, --link-concurrency and --kv-bytes are of split pools',
    flags.loadGuard !== undefined && flags.route !== 'prefixCache' && '--load-guard is of --route prefix-cache',
    flags.route === 'prefixCache' &&
      flags.prefixCache !== true &&
      flags.lanes === undefined &&
      '--route prefix-cache looks for cached prompts, and only --prefix-cache keeps them',
    flags.reserve === true &&
      flags.wholePrompt === true &&
      '--reserve has room for the whole prompt already, and --whole-prompt asks for it',
  ].filter((problem) => problem !== false)
  if (problems.length === 0) return
  throw new TwospeedError('CONFLICTING_FLAGS', `${problems.join('; ')}.`, 'See twospeed simulate --help.')
}
