import { z } from 'zod'
import {
  type Generator,
  type GeneratorLoad,
  type Hardware,
  type LatencySummary,
  type Load,
  type Objectives,
  type PointHeader,
  RUN_SCHEMA,
  type RunHeader,
  type Search,
  type Target,
  TwospeedError,
  type Window,
} from '../core/index.ts'
import { simulatedPoint } from './simulated-point.ts'

const number = z.number().exactOptional()
const positive = z.number().positive()
const count = z.int().positive()
const amount = z.number().nonnegative()

const INTERRUPTED = 'interrupted'

const load: z.ZodType<Load> = z.object({
  kind: z.enum(['concurrency', 'rate', 'trace']),
  value: positive,
  thinkS: positive.exactOptional(),
  users: positive.exactOptional(),
})

// Whether a point is steady is found anew from its records, so a header may leave it out. A window that was open when the run was killed
// has no end yet, which is infinity here.
const window: z.ZodType<Window> = z
  .object({
    startS: z.number(),
    endS: z.number().default(Number.POSITIVE_INFINITY),
    steady: z.boolean().default(true),
    reasons: z.array(z.string()).default([]),
  })
  .refine(({ startS, endS }) => endS > startS, { path: ['endS'], message: 'must be after startS' })
  .refine(({ endS, reasons }) => endS < Number.POSITIVE_INFINITY || reasons.includes(INTERRUPTED), {
    path: ['endS'],
    message: `may only be missing of a point that was ${INTERRUPTED}`,
  })

const latency: z.ZodType<LatencySummary> = z.object({
  mean: number,
  p50: number,
  p90: number,
  p95: number,
  p99: number,
  max: number,
})

const generatorLoad: z.ZodType<GeneratorLoad> = z.object({ streams: amount, eventsPerSecond: amount })

const generator: z.ZodType<Generator> = z.object({
  lateMs: latency.exactOptional(),
  eventLoopLagMs: latency.exactOptional(),
  cpu: number,
  sharedReads: number,
  saturated: z.boolean().exactOptional(),
  why: z.array(z.string()).exactOptional(),
  workers: z.array(z.object({ busy: amount, eventLoopLagMs: latency.exactOptional() })).exactOptional(),
  calibration: z
    .object({ workers: amount, trusted: generatorLoad, asked: generatorLoad, beyond: z.boolean() })
    .exactOptional(),
  errorMs: z.object({ ttft: amount, itl: amount }).exactOptional(),
})

const point: z.ZodType<PointHeader> = z.object({
  load,
  repeat: z.int().nonnegative().exactOptional(),
  window,
  generator: generator.exactOptional(),
  simulation: simulatedPoint.exactOptional(),
})

const hardware: z.ZodType<Hardware> = z.object({
  gpus: count.exactOptional(),
  replicas: count.exactOptional(),
  prefillGpus: count.exactOptional(),
  decodeGpus: count.exactOptional(),
  name: z.string().exactOptional(),
})

const target: z.ZodType<Target> = z.object({
  url: z.string(),
  model: z.string(),
  engine: z.string().exactOptional(),
})

const objectives: z.ZodType<Objectives> = z.object({
  ttftMs: positive.exactOptional(),
  tpotMs: positive.exactOptional(),
  tokensPerSecond: positive.exactOptional(),
})

/** Of a search by simulation; that of a measurement is found anew from its points. */
const foundSearch: z.ZodType<Search> = z.object({
  kind: z.literal('find'),
  tried: z.array(
    z.object({
      concurrency: amount,
      rate: positive.exactOptional(),
      verdict: z.enum(['holds', 'misses', 'void']).exactOptional(),
      missed: z.enum(['floor', 'ttft', 'failures', 'serverLimit']).exactOptional(),
    }),
  ),
  finished: z.boolean(),
  withinPct: positive.exactOptional(),
  found: z.object({ by: z.enum(['rate', 'concurrency']), value: positive, low: amount, high: amount, runs: count }),
  sentence: z.string(),
})

const runHeader: z.ZodType<RunHeader> = z.object({
  schema: z.literal(RUN_SCHEMA),
  createdAt: z.string(),
  twospeed: z.string(),
  target,
  hardware,
  clock: z.object({ originNs: z.string(), wallIso: z.string() }).exactOptional(),
  workload: z.record(z.string(), z.unknown()),
  objectives: objectives.exactOptional(),
  points: z.array(point),
})

/**
 * What is given in a `run.json`, out of the parsed file: results that stand beside it, and keys of later versions, are left aside.
 *
 * Throws UNKNOWN_SCHEMA for a schema of another version, INVALID_RUN with every problem of the file otherwise.
 */
export function parseRunHeader(json: unknown): RunHeader {
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined
  if (typeof schema === 'string' && schema !== RUN_SCHEMA) {
    throw new TwospeedError(
      'UNKNOWN_SCHEMA',
      `This run says "schema": ${JSON.stringify(schema)}; known is ${JSON.stringify(RUN_SCHEMA)}.`,
      'Read it with the version of twospeed that wrote it, or with a newer one.',
    )
  }
  const parsed = runHeader.safeParse(json)
  if (parsed.success) {
    const search = foundSearch.safeParse((json as { readonly search?: unknown }).search)
    return search.success ? { ...parsed.data, search: search.data } : parsed.data
  }
  const problems = parsed.error.issues.map(({ path, message }) => `${pathText(path)}: ${message}`)
  throw new TwospeedError(
    'INVALID_RUN',
    `run.json is not a run: ${problems.join('; ')}.`,
    'Every key it names must be there and of that form; a run folder comes from `twospeed measure --out`.',
  )
}

/** `points[0].window.endS` */
function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file'
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`)).join('')
}
