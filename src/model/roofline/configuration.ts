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

/** Makes a configuration that can exist; throws IMPOSSIBLE_CONFIGURATION, which names everything that cannot. */
export function createConfiguration(options: ConfigurationOptions): Configuration {
  const { model, gpu, tp = 1, pp = 1, ep = 1, dp = 1 } = options
  const { maxNumSeqs = USUAL.sequencesPerCopy * dp, maxBatchedTokens = USUAL.batchedTokens } = options
  const { memoryShare = USUAL.memoryShare, kvPrecision = 'bf16' } = options
  const faults: string[] = []
  const whole = { tp, pp, ep, dp, maxNumSeqs, maxBatchedTokens }
  for (const [name, value] of Object.entries(whole)) {
    if (!Number.isSafeInteger(value) || value < 1)
      faults.push(`${name} is ${value}, and must be a whole number of at least 1`)
  }
  if (!(memoryShare > 0 && memoryShare <= 1))
    faults.push(`the share of memory is ${memoryShare}, and must lie above 0 and up to 1`)
  if (faults.length === 0) faults.push(...layoutFaults(model, { tp, pp, ep, dp }))

  const asked = options.precision
  const precision = asked === undefined ? usualPrecision(model, gpu) : precisionNamed(asked, model)
  if (precision === undefined) faults.push(`no precision is called ${asked}; there are ${PRECISIONS.join(', ')}`)
  else if (!runsOn(precision, gpu)) {
    faults.push(
      `${gpu.id} has no arithmetic in ${asked ?? precision}; it has ${Object.keys(gpu.flopsPerSecond).join(', ')}`,
    )
  }
  if (kvBytes(kvPrecision) === undefined)
    faults.push(`the KV cache has no precision ${kvPrecision}; it has bf16 and fp8`)
  if (faults.length > 0 || precision === undefined) {
    throw new TwospeedError(
      'IMPOSSIBLE_CONFIGURATION',
      `${model.id} on ${gpu.id} cannot run so: ${faults.join('; ')}.`,
      'Weights may also be kept in fewer bits and widened on the way: w8a16, int4.',
    )
  }
  return {
    model,
    gpu,
    parallelism: { tp, pp, ep, dp },
    precision,
    kvPrecision,
    maxNumSeqs,
    maxBatchedTokens,
    memoryShare,
  }
}

function layoutFaults(model: ModelShape, { tp, pp, ep, dp }: Parallelism): string[] {
  const { attention, experts, layers, linear } = model
  const faults: string[] = []
  const divide = (what: string, count: number, by: string, parts: number): void => {
    if (count % parts !== 0) faults.push(`${count} ${what} do not divide by ${by} ${parts}`)
  }
  divide('heads', attention.heads, 'tp', tp)
  if (attention.kind === 'grouped' && tp % attention.kvHeads !== 0) divide('KV heads', attention.kvHeads, 'tp', tp)
  if (linear !== undefined) divide('heads of linear attention', linear.valueHeads, 'tp', tp)
  if (pp > layers) faults.push(`pp ${pp} is more than the ${layers} layers`)
  if (experts === undefined && ep > 1) faults.push(`ep is ${ep}, but the model has no experts`)
  if (experts !== undefined && ep > 1) {
    divide('experts', experts.all, 'ep', ep)
    divide('GPUs of tp·dp', tp * dp, 'ep', ep)
  }
  return faults
}
