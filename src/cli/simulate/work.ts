import { TwospeedError } from '../../core/index.ts'
import type { MeasureOptions } from '../../load/index.ts'
import type { WorkPlan } from '../../sim/index.ts'
import type { WorkFlags } from './flags.ts'
import type { Arrivals } from './plan.ts'

type Told = Readonly<Record<string, unknown>>

export interface Work {
  readonly work: WorkPlan
  /** As `run.json` says what was asked. */
  readonly told: Told
}

/** What requests are, read and checked as `measure` does. Throws what it throws. */
export async function workPlan(flags: WorkFlags): Promise<Work> {
  const { checkWork, readSource, workloadOf } = await import('../../load/index.ts')
  const { think: _, ...asked } = flags
  const options: MeasureOptions = { url: '', ...asked }
  checkWork(options)
  const source = readSource(options, 'chat', () => {})
  if (source.kind !== 'synthetic') throw new Error(`lengths came as ${source.kind}`)
  const { kind: __, ...work } = source
  return { work, told: workloadOf(source, options) }
}

export interface TraceFlags {
  readonly trace: string
  readonly speedup?: number
  /** Of its rows, the first so many, or those of the first so many seconds. */
  readonly requests?: number
  readonly durationS?: number
}

/** The requests of a trace; `say` is told what a person should know before it is played. */
export async function tracePlan(
  { trace: path, speedup, requests, durationS }: TraceFlags,
  say: (text: string) => void,
): Promise<{ readonly arrivals: Arrivals; readonly told: Told }> {
  const { readSource, workloadOf } = await import('../../load/index.ts')
  const options: MeasureOptions = { url: '', trace: { path, ...(speedup !== undefined && { speedup }) } }
  const source = readSource(options, 'chat', say)
  if (source.kind !== 'trace') throw new Error(`a trace came as ${source.kind}`)
  const { trace } = source
  const rows = trace.rows.slice(0, requests).filter(({ atS }) => durationS === undefined || atS < durationS)
  if (rows.some(({ body }) => body !== undefined)) {
    throw new TwospeedError(
      'INVALID_WORK',
      `--trace ${path}: rows with a body do not say how long their prompts and answers are.`,
      'Give rows of atS, inputTokens and outputTokens.',
    )
  }
  const played = { kind: 'trace' as const, trace: { ...trace, rows } }
  const { trace: told, ...others } = workloadOf({ ...source, trace: played.trace }, options)
  const hasBlocks = rows.some(({ blocks = [] }) => blocks.length > 0)
  return { arrivals: played, told: { ...others, trace: { ...(told as Told), hasBlocks } } }
}
