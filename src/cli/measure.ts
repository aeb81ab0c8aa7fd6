import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { TwospeedError } from '../core/index.ts'
import type { MeasureOptions } from '../load/index.ts'
import {
  amount,
  count,
  counts,
  duration,
  endpointName,
  flag,
  fromZero,
  lengths,
  repeatable,
  share,
  wholeNumber,
  word,
} from './flags.ts'
import { given } from './given.ts'
import { arrivalProcess, rates, think } from './load-flags.ts'
import { measureAndShow } from './measure-and-show.ts'
import type { MeasureSettings } from './measure-settings.ts'

export function measureCommand(): Command {
  return new Command('measure')
    .description('The two speeds of an OpenAI-compatible server, at one load after another, into a run folder.')
    .argument('[url]', 'host, host:port, a base such as https://example.com/v1, or the full path of an endpoint')
    .addOption(flag('--model <name>', 'default: the only one that is served', word))
    .addOption(flag('--endpoint <name>', 'chat, completions or responses (chat, or what the URL says)', endpointName))
    .addOption(flag('--concurrency <list>', 'users at once: 1,2,4 (1, 2, 4, … until output gains under 3 %)', counts))
    .addOption(flag('--rate <list>', 'in place of users, requests that come when they like: 5/s,10/s', rates))
    .addOption(flag('--arrival-process <name>', 'of a rate: constant, poisson or gamma (poisson)', arrivalProcess))
    .addOption(flag('--burstiness <n>', 'shape of gamma arrivals: 1 is Poisson, less comes in bursts', amount))
    .addOption(
      flag('--max-in-flight <n>', 'of a rate or a trace: what is due then waits, or is dropped (65000)', count),
    )
    .addOption(flag('--ramp <time>', 'the load comes up evenly over so long, before warm-up is looked for', duration))
    .addOption(flag('--think <time>', 'of a user between two requests: 2s, or exponential:2s (none)', think))
    .addOption(
      flag(
        '--input-tokens <n>',
        'length of a prompt, template included: 512, uniform:100-200, lognormal:400,0.6 (512)',
        lengths,
      ),
    )
    .addOption(flag('--output-tokens <n>', 'length of an answer, the same way (128)', lengths))
    .addOption(flag('--lengths <file>', 'CSV of input,output pairs that lengths are drawn from', word))
    .addOption(flag('--prefix-share <n>', 'of each prompt, a beginning that others have too, such as 0.5', share))
    .addOption(flag('--prefixes <n>', 'how many such beginnings there are (1)', count))
    .addOption(flag('--turns <n>', 'requests of a conversation, each with all that was said before (1)', count))
    .addOption(flag('--prompts <file>', 'your own: JSONL of prompts, messages or request bodies, or ShareGPT', word))
    .addOption(
      flag(
        '--trace <file>',
        'a recorded load: Azure CSV, Mooncake JSONL, or {"atS","inputTokens","outputTokens"}',
        word,
      ),
    )
    .addOption(flag('--speedup <n>', 'play the trace so many times as fast (1)', amount))
    .addOption(flag('--temperature <n>', 'of sampling; default: what the server does', fromZero))
    .addOption(flag('--top-p <n>', 'of sampling, such as 0.95', share))
    .addOption(flag('--extra-body <json>', 'fields for every request body, or @file: {"top_k":5}', word))
    .addOption(
      flag('--duration <time>', 'of each point after its warm-up (30s, or 20 requests one after the other)', duration),
    )
    .addOption(flag('--requests <n>', 'in place of a duration: requests of each point, warm-up included', count))
    .addOption(flag('--repeat <n>', 'measure each load so often, in rounds over the run (1)', count))
    .addOption(flag('--gpus <n>', 'of the whole server; unknown unless given', count))
    .addOption(flag('--replicas <n>', 'copies of the model behind the URL (1)', count))
    .addOption(flag('--floor <n>', 'an objective: tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'an objective: time to the first token, such as 500ms', duration))
    .option('--find', 'find the most users who hold --floor and --ttft, in at most 6 points')
    .addOption(flag('--share <n>', 'of --find: the share of requests that must get both, such as 0.9', share))
    .option('--sweep', 'measure the loads that make the whole frontier known to ± 3 %')
    .addOption(flag('--api-key-file <file>', 'holds the key; default: OPENAI_API_KEY', word))
    .addOption(repeatable('--header <header>', "'Name: value', sent with every request; may be given several times"))
    .addOption(flag('--ca <file>', 'PEM: an authority to trust', word))
    .addOption(flag('--cert <file>', 'PEM: the certificate to show, with --key', word))
    .addOption(flag('--key <file>', 'PEM: the key of --cert', word))
    .option('--insecure', 'accept any certificate')
    .addOption(flag('--wait <time>', 'until the model answers, at most so long, such as 10m', duration))
    .addOption(flag('--time-limit <time>', 'of the whole run; what was measured is kept', duration))
    .addOption(flag('--first-token-timeout <time>', 'from sending to the first token (5m)', duration))
    .addOption(flag('--idle-timeout <time>', 'between two tokens (2m)', duration))
    .addOption(flag('--request-timeout <time>', 'of a whole request (1h)', duration))
    .option('--no-preflight', 'send only what is measured: lengths and dialect are taken on trust')
    .addOption(
      flag('--tokenizer <path>', 'a tokenizer.json or its folder: counts tokens where the server does not', word),
    )
    .addOption(flag('--workers <n>', 'threads that read, 0 for the one that sends (as the load takes)', wholeNumber))
    .option('--no-busy-poll', 'sleep between tokens even where another core is idle')
    .addOption(flag('--seed <n>', 'repeats the prompts of an earlier run', wholeNumber))
    .addOption(flag('--out <folder>', 'not there yet (runs/<time>-<model>)', word))
    .addOption(flag('--config <file>', 'YAML with these flags as keys; flags win', word))
    .option('--strict', 'exit with 1 when a request failed or a point is not steady')
    .option('--json', 'print run.json and nothing else')
    .action((url: string | undefined, _: unknown, command: Command) => runMeasure(url, command))
}

async function runMeasure(url: string | undefined, command: Command): Promise<void> {
  const given = command.opts<MeasureSettings & { readonly config?: string; readonly json?: true }>()
  const settings = await settingsFrom(url, command, given.config)
  await measureAndShow(() => optionsOf(settings), { json: given.json, strict: settings.strict })
}

/** The file's settings with the flags laid over them. */
async function settingsFrom(url: string | undefined, command: Command, config?: string): Promise<MeasureSettings> {
  const file: MeasureSettings = config === undefined ? {} : (await import('./config.ts')).readConfig(config)
  const flags = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli')
  const given: MeasureSettings = { ...Object.fromEntries(flags), ...(url !== undefined && { url }) }
  const kept = Object.entries(file).filter(([key]) => !replacedBy(given).has(key))
  return { ...Object.fromEntries(kept), ...given }
}

/** What a load is said by, and the keys that mean something beside it. */
const LOADS = {
  concurrency: ['think', 'ramp'],
  rate: ['arrivalProcess', 'burstiness', 'maxInFlight', 'ramp'],
  trace: ['speedup', 'maxInFlight'],
} as const
const ALL_OF_LOADS: readonly string[] = Object.entries(LOADS).flat(2)

/** What a flag says takes the place of what the file says otherwise: of the window's end, and of the load with all that belongs to it. */
function replacedBy(given: MeasureSettings): ReadonlySet<string> {
  const replaced = new Set<string>()
  if (given.duration !== undefined || given.requests !== undefined) replaced.add('duration').add('requests')
  for (const load of ['concurrency', 'rate', 'trace'] as const) {
    if (given[load] === undefined) continue
    const own: readonly string[] = LOADS[load]
    for (const key of ALL_OF_LOADS) if (!own.includes(key)) replaced.add(key)
  }
  return replaced
}

function optionsOf(settings: MeasureSettings): MeasureOptions {
  const { url, ca, cert, key, floor, ttft, header } = settings
  if (url === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      'No target.',
      'Give a URL, such as twospeed measure http://localhost:8000.',
    )
  }
  const apiKey = apiKeyOf(settings.apiKeyFile)
  const renamed = {
    durationS: settings.duration,
    waitS: settings.wait,
    timeLimitS: settings.timeLimit,
    firstTokenTimeoutS: settings.firstTokenTimeout,
    idleTimeoutS: settings.idleTimeout,
    requestTimeoutS: settings.requestTimeout,
    headers: header,
    trace: traceOf(settings),
    extraBody: extraBodyOf(settings.extraBody),
    apiKey: apiKey?.value,
    apiKeyFrom: apiKey?.from,
  }
  const same = {
    endpoint: settings.endpoint,
    model: settings.model,
    concurrency: settings.concurrency,
    rates: settings.rate,
    arrivalProcess: settings.arrivalProcess,
    burstiness: settings.burstiness,
    maxInFlight: settings.maxInFlight,
    rampS: settings.ramp,
    think: settings.think,
    inputTokens: settings.inputTokens,
    outputTokens: settings.outputTokens,
    lengths: settings.lengths,
    prefixShare: settings.prefixShare,
    prefixes: settings.prefixes,
    turns: settings.turns,
    prompts: settings.prompts,
    temperature: settings.temperature,
    topP: settings.topP,
    requests: settings.requests,
    repeat: settings.repeat,
    search: searchOf(settings),
    share: settings.share,
    gpus: settings.gpus,
    replicas: settings.replicas,
    preflight: settings.preflight,
    tokenizer: settings.tokenizer,
    workers: settings.workers,
    busyPoll: settings.busyPoll,
    seed: settings.seed,
    out: settings.out,
  }
  const objectives = given({ tokensPerSecond: floor, ttftMs: ttft === undefined ? undefined : 1000 * ttft })
  return {
    url,
    ...given({ ...same, ...renamed }),
    ...(Object.keys(objectives).length > 0 && { objectives }),
    transport: {
      ...given({ ca: ca && read(ca), cert: cert && read(cert), key: key && read(key), insecure: settings.insecure }),
      environment: process.env,
    },
  }
}

function traceOf({ trace: path, speedup }: MeasureSettings): MeasureOptions['trace'] {
  if (path === undefined && speedup !== undefined)
    throw new TwospeedError('CONFLICTING_FLAGS', '--speedup plays a trace faster, and there is none.', 'Give --trace.')
  return path === undefined ? undefined : { path, ...(speedup !== undefined && { speedup }) }
}

/** What was given as JSON, as a file that holds it, or as it is. */
function extraBodyOf(given: MeasureSettings['extraBody']): MeasureOptions['extraBody'] {
  if (typeof given !== 'string') return given
  const text = given.startsWith('@') ? read(given.slice(1)) : given
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Said below, as for what is JSON and no object.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as MeasureOptions['extraBody']
  throw new TwospeedError('INVALID_VALUE', '--extra-body is no JSON object.', 'It takes such as {"top_k":5}, or @file.')
}

function searchOf({ find, sweep }: MeasureSettings): 'find' | 'sweep' | undefined {
  if (find === true && sweep === true) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      '--find looks for one load and --sweep for the whole frontier.',
      'Give one of them; a sweep can be asked for its best load with `twospeed choose`.',
    )
  }
  return find === true ? 'find' : sweep === true ? 'sweep' : undefined
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new TwospeedError('FILE_NOT_READABLE', `${path} cannot be read: ${why}.`, 'Name a file that is there.')
  }
}

/** The key, and the name of where it was found. */
function apiKeyOf(file: string | undefined): { readonly value: string; readonly from: string } | undefined {
  if (file !== undefined) return { value: read(file).trim(), from: file }
  const { OPENAI_API_KEY: value } = process.env
  return value === undefined || value === '' ? undefined : { value, from: 'OPENAI_API_KEY' }
}
