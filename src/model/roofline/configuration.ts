import { TwospeedError } from '../../core/index.ts'
import type { Accelerator } from '../catalogue/accelerator.ts'
import type { ModelShape } from '../catalogue/model-shape.ts'
import { kvBytes, PRECISIONS, precisionNamed, runsOn, usualPrecision } from './precision.ts'

/**
 * How a model is laid over GPUs: tp·pp·dp of them make one replica. Experts are shared out in `ep` groups, and within a group cut by
 * tp·dp/ep; attention is cut by tp and copied dp times.
 */
export interface Parallelism {
  readonly tp: number
  readonly pp: number
  readonly ep: number
  readonly dp: number
}

/** What is asked of `predict`: a model on GPUs, in a precision. Made by `createConfiguration`, which refuses what cannot exist. */
export interface Configuration {
  readonly model: ModelShape
  readonly gpu: Accelerator
  readonly parallelism: Parallelism
  /** Of the weights, and so of the arithmetic: `bf16`, `fp8`, `fp4`, `int4`, `mxfp4` … (`precision.ts`). */
  readonly precision: string
  /** Of the KV cache: `bf16` or `fp8`. */
  readonly kvPrecision: string
  /** Most sequences that decode at once, of the whole replica. */
  readonly maxNumSeqs: number
  /** Token budget of one step, of each data-parallel copy. */
  readonly maxBatchedTokens: number
  /** The share of memory that the engine may fill. */
  readonly memoryShare: number
}

/** Mean lengths of a request, in tokens. */
export interface Lengths {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Of one replica. */
export function gpusOf({ tp, pp, dp }: Parallelism): number {
  return tp * pp * dp
}

/** Tokens that a request holds while it decodes, in the mean: it is at half of its answer. */
export function meanContext({ inputTokens, outputTokens }: Lengths): number {
  return inputTokens + outputTokens / 2
}

export interface ConfigurationOptions {
  readonly model: ModelShape
  readonly gpu: Accelerator
  /** 1 each where not given. */
  readonly tp?: number
  readonly pp?: number
  readonly ep?: number
  readonly dp?: number
  /** As the model is published where the accelerator has that, else 16 bits. */
  readonly precision?: string
  /** 16 bits where not given, as engines have it. */
  readonly kvPrecision?: string
  readonly maxNumSeqs?: number
  readonly maxBatchedTokens?: number
  readonly memoryShare?: number
}

/** Sequences at once of each copy, tokens of a step, and share of memory that vLLM takes on accelerators for servers. */
const USUAL = { sequencesPerCopy: 1024, batchedTokens: 8192, memoryShare: 0.9 } as const

interface Fault {
  readonly what: string
  readonly hint: string
}

/** Makes a configuration that can exist; throws IMPOSSIBLE_CONFIGURATION, which names everything that cannot. */
export function createConfiguration(options: ConfigurationOptions): Configuration {
  const { model, gpu, tp = 1, pp = 1, ep = 1, dp = 1 } = options
  const { maxNumSeqs = USUAL.sequencesPerCopy * dp, maxBatchedTokens = USUAL.batchedTokens } = options
  const { memoryShare = USUAL.memoryShare, kvPrecision = 'bf16' } = options
  const asked = options.precision
  const precision = asked === undefined ? usualPrecision(model, gpu) : precisionNamed(asked, model)
  const sizes = sizeFaults({ tp, pp, ep, dp, maxNumSeqs, maxBatchedTokens }, memoryShare)
  const faults = [
    ...(sizes.length > 0 ? sizes : layoutFaults(model, { tp, pp, ep, dp })),
    ...precisionFaults(gpu, asked, precision, kvPrecision),
  ]
  if (faults.length > 0 || precision === undefined) {
    throw new TwospeedError(
      'IMPOSSIBLE_CONFIGURATION',
      `${model.id} on ${gpu.id} cannot run so: ${faults.map(({ what }) => what).join('; ')}.`,
      [...new Set(faults.map(({ hint }) => hint))].join(' '),
    )
  }
  const parallelism = { tp, pp, ep, dp }
  return { model, gpu, parallelism, precision, kvPrecision, maxNumSeqs, maxBatchedTokens, memoryShare }
}

function sizeFaults(whole: Readonly<Record<string, number>>, memoryShare: number): Fault[] {
  const faults: Fault[] = []
  for (const [name, value] of Object.entries(whole)) {
    if (Number.isSafeInteger(value) && value >= 1) continue
    faults.push({ what: `${name} is ${value}`, hint: 'Counts are whole numbers of at least 1.' })
  }
  if (!(memoryShare > 0 && memoryShare <= 1)) {
    faults.push({ what: `the share of memory is ${memoryShare}`, hint: 'A share lies above 0 and up to 1.' })
  }
  return faults
}

function precisionFaults(gpu: Accelerator, asked: string | undefined, known: string | undefined, kv: string): Fault[] {
  const faults: Fault[] = []
  if (known === undefined) {
    faults.push({ what: `no precision is called ${asked}`, hint: `Precisions are ${PRECISIONS.join(', ')}.` })
  } else if (!runsOn(known, gpu)) {
    const has = Object.keys(gpu.flopsPerSecond).join(', ')
    faults.push({
      what: `${gpu.id} has no arithmetic in ${asked ?? known}; it has ${has}`,
      hint: 'Weights may also be kept in fewer bits than they are multiplied in: w8a16, int4.',
    })
  }
  if (kvBytes(kv) === undefined) {
    faults.push({ what: `the KV cache has no precision ${kv}`, hint: 'The KV cache is in bf16 or fp8.' })
  }
  return faults
}

/** More ranks than these no engine is started with. */
const MOST_RANKS = 64

function layoutFaults(model: ModelShape, { tp, pp, ep, dp }: Parallelism): Fault[] {
  const { attention, experts, layers, linear } = model
  const faults: Fault[] = []
  const heads = (count: number): void => {
    if (count % tp === 0) return
    const fitting = Array.from({ length: MOST_RANKS }, (_, i) => i + 1).filter((ranks) => count % ranks === 0)
    faults.push({ what: `${count} heads do not divide by tp ${tp}`, hint: `tp may be ${fitting.join(', ')}.` })
  }
  heads(attention.heads)
  if (linear !== undefined && linear.valueHeads !== attention.heads) heads(linear.valueHeads)
  if (attention.kind === 'grouped' && tp % attention.kvHeads !== 0 && attention.kvHeads % tp !== 0) {
    faults.push({
      what: `${attention.kvHeads} KV heads do not divide by tp ${tp}, nor it by them`,
      hint: 'Ranks hold whole KV heads, or several ranks the same one.',
    })
  }
  if (pp > layers) {
    faults.push({ what: `pp ${pp} is more than the ${layers} layers`, hint: 'Every stage has a layer at least.' })
  }
  if (ep > 1 && experts === undefined) {
    faults.push({ what: `ep is ${ep}, but the model has no experts`, hint: 'Leave --ep out.' })
  }
  if (ep > 1 && experts !== undefined && experts.all % ep !== 0) {
    faults.push({ what: `${experts.all} experts do not divide by ep ${ep}`, hint: expertsHint(experts.all, ep) })
  }
  if (ep > 1 && experts !== undefined && (tp * dp) % ep !== 0) {
    faults.push({
      what: `${tp * dp} GPUs of tp·dp do not divide by ep ${ep}`,
      hint: 'Experts are shared out over the GPUs of tp·dp.',
    })
  }
  return faults
}

/** Engines copy the experts that are asked for most, so that any number of GPUs has equally many: DeepSeek decodes 256 + 32 on 144. */
function expertsHint(experts: number, ep: number): string {
  const whole = Array.from({ length: experts }, (_, i) => i + 1).filter((groups) => experts % groups === 0)
  const nearest = [whole.findLast((groups) => groups < ep), whole.find((groups) => groups > ep)]
  const either = nearest.filter((groups) => groups !== undefined).join(' or ')
  return `ep shares whole experts out: ${either} does. Redundant experts cannot be said yet.`
}
