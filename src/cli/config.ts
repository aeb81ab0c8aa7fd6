import { readFileSync } from 'node:fs'
import { isMap, LineCounter, parseDocument, type YAMLMap } from 'yaml'
import { z } from 'zod'
import { parseDuration, TwospeedError } from '../core/index.ts'
import type { MeasureSettings } from './measure-settings.ts'

const count = z.int().positive()
const text = z.string().min(1)
const duration = z
  .string({ error: 'a duration with its unit, such as 30s, 500ms or 10m' })
  .regex(/^\d+(\.\d+)?(us|ms|s|m|min|h|d)$/, 'a duration with its unit, such as 30s, 500ms or 10m')
  .transform((value) => parseDuration(value) ?? 0)
  .refine((value) => value > 0, 'a duration longer than nothing')

/** The keys of `--config`: the flags of `measure`, in one word, with values of the same form. */
const schema = z.strictObject({
  url: text.describe('the server, as pasted').optional(),
  endpoint: z.enum(['chat', 'completions']).optional(),
  model: text.optional(),
  concurrency: z
    .union([count, z.array(count).min(1)], 'a whole number of at least 1, or a list of them')
    .transform((value) => (typeof value === 'number' ? [value] : value))
    .optional(),
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  duration: duration.describe('of each point, warm-up not included').optional(),
  requests: count.describe('of each point, warm-up included; in place of a duration').optional(),
  gpus: count.optional(),
  replicas: count.optional(),
  floor: z.number().positive().describe('objective: tok/s/user').optional(),
  ttft: duration.describe('objective: time to the first token').optional(),
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
        const what = issue.code === 'unrecognized_keys' ? 'no such key' : issue.message
        return `${line === undefined ? '' : `line ${line}: `}${keyPath.join('.') || 'the file'}: ${what}`
      })
    }),
  )
}

const withoutUndefined = (data: object): MeasureSettings =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
