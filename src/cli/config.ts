import { readFileSync } from 'node:fs'
import { isMap, LineCounter, parseDocument, type YAMLMap } from 'yaml'
import { z } from 'zod'
import { parseDuration, parseLengths, TwospeedError } from '../core/index.ts'
import { ARRIVAL_PROCESSES, parseRate, parseThink, RATE_FORM, THINK_FORM } from './load-flags.ts'
import type { MeasureSettings } from './measure-settings.ts'

const count = z.int().positive()
const text = z.string().min(1)
const duration = z
  .string({ error: 'a duration with its unit, such as 30s, 500ms or 10m' })
  .regex(/^\d+(\.\d+)?(us|ms|s|m|min|h|d)$/, 'a duration with its unit, such as 30s, 500ms or 10m')
  .transform((value) => parseDuration(value) ?? 0)
  .refine((value) => value > 0, 'a duration longer than nothing')

const rate = z
  .string({ error: RATE_FORM })
  .refine((value) => parseRate(value) !== undefined, RATE_FORM)
  .transform((value) => parseRate(value) ?? 0)

const lengths = z
  .union([count, z.string()], 'a whole number of at least 1, or a distribution such as uniform:100-200')
  .refine(
    (value) => parseLengths(String(value)) !== undefined,
    'a distribution such as uniform:100-200, normal:400,50 or lognormal:400,0.6',
  )

/** The keys of `--config`: the flags of `measure`, in one word, with values of the same form. */
const schema = z.strictObject({
  url: text.describe('the server, as pasted').optional(),
  endpoint: z.enum(['chat', 'completions', 'responses']).optional(),
  model: text.optional(),
  concurrency: z
    .union([count, z.array(count).min(1)], 'a whole number of at least 1, or a list of them')
    .transform((value) => (typeof value === 'number' ? [value] : value))
    .optional(),
  rate: z
    .union([rate, z.array(rate).min(1)], `${RATE_FORM}, or a list of them`)
    .transform((value) => (typeof value === 'number' ? [value] : value))
    .describe('requests that come when they like, in place of users')
    .optional(),
  arrivalProcess: z.enum(ARRIVAL_PROCESSES).optional(),
  burstiness: z.number().positive().describe('shape of gamma arrivals: 1 is Poisson').optional(),
  maxInFlight: count.optional(),
  ramp: duration.describe('over which the load comes up').optional(),
  think: z
    .string({ error: THINK_FORM })
    .refine((value) => parseThink(value) !== undefined, THINK_FORM)
    .transform((value) => parseThink(value))
    .describe('of a user between two requests')
    .optional(),
  inputTokens: lengths.optional(),
  outputTokens: lengths.describe('default 128, and of own prompts: where the model ends').optional(),
  lengths: text.describe('a CSV of input,output pairs').optional(),
  prefixShare: z.number().positive().lt(1).describe('of each prompt, that others begin with too').optional(),
  prefixes: count.describe('how many such beginnings there are').optional(),
  turns: count.describe('requests of a conversation').optional(),
  prompts: text.describe('a file of own prompts, request bodies or ShareGPT conversations').optional(),
  trace: text.describe('a file: Azure CSV, Mooncake JSONL or own JSONL').optional(),
  speedup: z.number().positive().describe('how many times as fast the trace is played').optional(),
  temperature: z.number().nonnegative().optional(),
  topP: z.number().positive().max(1).optional(),
  extraBody: z
    .union([text, z.record(z.string(), z.unknown())], 'fields of a request body, or @ and the file that holds them')
    .optional(),
  duration: duration.describe('of each point, warm-up not included').optional(),
  requests: count.describe('of each point, warm-up included; in place of a duration').optional(),
  repeat: count.describe('how often each load is measured, in rounds over the run').optional(),
  gpus: count.optional(),
  replicas: count.optional(),
  floor: z.number().positive().describe('objective: tok/s/user').optional(),
  ttft: duration.describe('objective: time to the first token').optional(),
  find: z.boolean().describe('find the most users who hold floor and ttft').optional(),
  share: z.number().positive().max(1).describe('of find: the share of requests that must get both').optional(),
  sweep: z.boolean().describe('measure the loads that make the frontier known').optional(),
  apiKeyFile: text.optional(),
  header: z.array(text).describe("each 'Name: value'").optional(),
  ca: text.optional(),
  cert: text.optional(),
  key: text.optional(),
  insecure: z.boolean().optional(),
  wait: duration.optional(),
  timeLimit: duration.optional(),
  firstTokenTimeout: duration.optional(),
  idleTimeout: duration.optional(),
  requestTimeout: duration.optional(),
  preflight: z.boolean().optional(),
  tokenizer: text.describe('a tokenizer.json or its folder').optional(),
  workers: z.int().nonnegative().describe('threads that read; 0: the one that sends').optional(),
  busyPoll: z.boolean().describe('stay awake between tokens where another core is idle').optional(),
  seed: z.int().nonnegative().optional(),
  out: text.optional(),
  strict: z.boolean().optional(),
})

/** For editors: what a `--config` file may hold. */
export function configJsonSchema(): unknown {
  return z.toJSONSchema(schema, { io: 'input' })
}

/** Where a key or the value at a path stands, so that a person finds it. */
function lineOf(root: unknown, path: readonly PropertyKey[], lines: LineCounter): number | undefined {
  let node = root
  let offset: number | undefined
  for (const step of path) {
    if (isMap(node)) {
      const pair = (node as YAMLMap<{ value?: unknown; range?: readonly number[] }>).items.find(
        ({ key }) => key.value === step,
      )
      offset = pair?.key.range?.[0] ?? offset
      node = pair?.value
    }
  }
  return offset === undefined ? undefined : lines.linePos(offset).line
}

function invalid(path: string, problems: readonly string[]): TwospeedError {
  return new TwospeedError(
    'INVALID_CONFIG',
    `${path}: ${problems.join('; ')}.`,
    'The keys are the flags of measure in one word, such as inputTokens: 512.',
  )
}

const MOST_PROBLEMS = 10
/** Parsing takes seconds a megabyte where the file is no YAML, and a file of flags is short. */
const MOST_CHARACTERS = 100_000

/** A problem may quote the file, which may be binary: no control character of it reaches a terminal, and no long line. */
const printable = (problem: string): string => problem.replace(/\p{Cc}+/gu, ' ').slice(0, 200)

/** YAML refuses aliases that unfold without end, by throwing. */
function contentsOf(document: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw invalid(path, [error instanceof Error ? error.message : String(error)])
  }
}

/**
 * Reads a `--config` file (YAML, so JSON too): strict keys, and every problem at once.
 *
 * @throws TwospeedError `FILE_NOT_READABLE`, `INVALID_CONFIG`
 */
export function readConfig(path: string): MeasureSettings {
  let source: string
  try {
    source = readFileSync(path, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new TwospeedError('FILE_NOT_READABLE', `${path} cannot be read: ${why}.`, 'Name a file that is there.')
  }
  if (source.length > MOST_CHARACTERS) throw invalid(path, ['far too long for a file of flags'])
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const problems = document.errors.map(({ message, pos }) => `line ${lines.linePos(pos[0]).line}: ${message}`)
  // A file that is no YAML at all has a problem on every line; the first few tell as much.
  if (problems.length > MOST_PROBLEMS) problems.splice(MOST_PROBLEMS, Infinity, 'and more')
  if (problems.length > 0) throw invalid(path, problems.map(printable))
  const result = schema.safeParse(contentsOf(document, path) ?? {})
  if (result.success) return withoutUndefined(result.data)
  throw invalid(
    path,
    result.error.issues.flatMap((issue) => {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
      return keys.map((keyPath) => {
        const line = lineOf(document.contents, keyPath, lines)
        const what = issue.code === 'unrecognized_keys' ? noSuchKey(keyPath) : issue.message
        return `${line === undefined ? '' : `line ${line}: `}${keyPath.join('.') || 'the file'}: ${what}`
      })
    }),
  )
}

/** A key as its flag is written, or in another case, is one that we know. */
function noSuchKey(path: readonly PropertyKey[]): string {
  const plain = (key: string): string => key.replace(/[^a-z]/gi, '').toLowerCase()
  const meant = Object.keys(schema.shape).find((key) => path.length === 1 && plain(key) === plain(String(path[0])))
  return meant === undefined ? 'no such key' : `no such key; it is ${meant}`
}

const withoutUndefined = (data: object): MeasureSettings =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
