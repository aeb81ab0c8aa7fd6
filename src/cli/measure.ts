import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { TwospeedError } from '../core/index.ts'
import type { MeasureOptions } from '../load/index.ts'
import { amount, count, counts, duration, endpointName, flag, repeatable, wholeNumber, word } from './flags.ts'
import { measureAndShow } from './measure-and-show.ts'
import type { MeasureSettings } from './measure-settings.ts'
import type { ProgressLine } from './progress.ts'

export function measureCommand(): Command {
  return new Command('measure')
    .description('The two speeds of an OpenAI-compatible server, at one load after another, into a run folder.')
    .argument('[url]', 'host, host:port, a base such as https://example.com/v1, or the full path of an endpoint')
    .addOption(flag('--model <name>', 'default: the only one that is served', word))
    .addOption(flag('--endpoint <name>', 'chat or completions (chat, or what the URL says)', endpointName))
    .addOption(flag('--concurrency <list>', 'users at once: 1,2,4 (1, 2, 4, … until output gains under 3 %)', counts))
    .addOption(flag('--input-tokens <n>', 'length of a prompt, template included (512)', count))
    .addOption(flag('--output-tokens <n>', 'length of an answer (128)', count))
    .addOption(
      flag('--duration <time>', 'of each point after its warm-up (30s, or 20 requests one after the other)', duration),
    )
    .addOption(flag('--requests <n>', 'in place of a duration: requests of each point, warm-up included', count))
    .addOption(flag('--gpus <n>', 'of the whole server; unknown unless given', count))
    .addOption(flag('--replicas <n>', 'copies of the model behind the URL (1)', count))
    .addOption(flag('--floor <n>', 'an objective: tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'an objective: time to the first token, such as 500ms', duration))
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
  await measureAndShow((line) => optionsOf(settings, line), { json: given.json, strict: settings.strict })
}

/** The file's settings with the flags laid over them. */
async function settingsFrom(url: string | undefined, command: Command, config?: string): Promise<MeasureSettings> {
  const file: MeasureSettings = config === undefined ? {} : (await import('./config.ts')).readConfig(config)
  const flags = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli')
  const given: MeasureSettings = { ...Object.fromEntries(flags), ...(url !== undefined && { url }) }
  // The two ways to end a point stand in for each other.
  const { duration: fileDuration, requests: fileRequests, ...rest } = file
  const ends = given.duration !== undefined || given.requests !== undefined
  return {
    ...rest,
    ...(!ends && fileDuration !== undefined && { duration: fileDuration }),
    ...(!ends && fileRequests !== undefined && { requests: fileRequests }),
    ...given,
  }
}

function optionsOf(settings: MeasureSettings, line: ProgressLine): MeasureOptions {
  const { url, ca, cert, key, floor, ttft, header } = settings
  if (url === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      'No target.',
      'Give a URL, such as twospeed measure http://localhost:8000.',
    )
  }
  const apiKey = apiKeyOf(settings.apiKeyFile, line)
  const renamed = {
    durationS: settings.duration,
    waitS: settings.wait,
    timeLimitS: settings.timeLimit,
    firstTokenTimeoutS: settings.firstTokenTimeout,
    idleTimeoutS: settings.idleTimeout,
    requestTimeoutS: settings.requestTimeout,
    headers: header,
    apiKey,
  }
  const same = {
    endpoint: settings.endpoint,
    model: settings.model,
    concurrency: settings.concurrency,
    inputTokens: settings.inputTokens,
    outputTokens: settings.outputTokens,
    requests: settings.requests,
    gpus: settings.gpus,
    replicas: settings.replicas,
    preflight: settings.preflight,
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

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the keys that hold nothing. */
const given = <T extends object>(values: T): Given<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new TwospeedError('FILE_NOT_READABLE', `${path} cannot be read: ${why}.`, 'Name a file that is there.')
  }
}

function apiKeyOf(file: string | undefined, line: ProgressLine): string | undefined {
  if (file !== undefined) return read(file).trim()
  const { OPENAI_API_KEY: key } = process.env
  if (key === undefined || key === '') return undefined
  line.say('using the key in OPENAI_API_KEY')
  return key
}
