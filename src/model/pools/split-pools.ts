import type { Configuration, Lengths, Parallelism } from '../roofline/configuration.ts'
import { type Memory, memoryOf } from '../roofline/memory.ts'
import { createStepModel } from '../roofline/roofline.ts'
import type { StepModel } from '../roofline/step-model.ts'
import { defaultLink, type Link, transferSeconds } from './link.ts'
import { type PrefillInstance, prefillInstance } from './prompt-reading.ts'
import { gpusOfPool, type Pool, parallelismOf } from './split.ts'

/** One instance that does nothing but decode. */
export interface DecodeInstance {
  readonly model: StepModel
  readonly memory: Memory
  /** The most sequences that it decodes at once. */
  readonly places: number
}

/**
 * Prompts are read in one pool of GPUs, answers written in another, so that neither holds up the other:
 *
 *     request ──► wait ──► prefill pool ──► KV cache over the link ──► decode pool ──► tokens
 *
 * A step of the decode pool carries no prompt, and a prompt shares its GPUs with no stream.
 */
export interface SplitPools {
  readonly prefill: Pool
  readonly decode: Pool
  /** Of both. */
  readonly gpus: number
  readonly link: Link
  readonly lengths: Lengths
  /** One of the instances of each, which are alike. */
  readonly reader: PrefillInstance
  readonly writer: DecodeInstance
  readonly transferS: number
}

export interface SplitRequest {
  readonly prefill: Pool
  readonly decode: Pool
  readonly lengths: Lengths
  /** Absent: the GPUs' own where all are in one domain, else a network port for each. */
  readonly link?: Link
  /** The model on its GPUs, laid out as a pool wants it. */
  configurationOf(parallelism: Parallelism): Configuration
  /** Absent: from specifications alone. */
  stepModelOf?(configuration: Configuration): StepModel
}

/** Throws IMPOSSIBLE_CONFIGURATION or DOES_NOT_FIT where one of the pools cannot be. */
export function createSplitPools(request: SplitRequest): SplitPools {
  const { prefill, decode, lengths, link, stepModelOf = createStepModel } = request
  const from = request.configurationOf(parallelismOf(prefill))
  const to = request.configurationOf(parallelismOf(decode))
  const reader = prefillInstance(stepModelOf(from), memoryOf(from, onlyPrompts(lengths)), lengths.inputTokens)
  const writer = decodeInstance(stepModelOf(to), memoryOf(to, lengths))
  return joinPools(prefill, decode, reader, writer, lengths, link)
}

/** Of what a prefill pool holds: a prompt leaves as soon as it is read. */
export function onlyPrompts(lengths: Lengths): Lengths {
  return { ...lengths, outputTokens: 1 }
}

export function decodeInstance(model: StepModel, memory: Memory): DecodeInstance {
  const places = Math.floor(Math.min(model.configuration.maxNumSeqs, memory.maxConcurrency))
  return { model, memory, places: Math.max(1, places) }
}

/** Which of the two it is that gives an instance no more places. */
export function placesBy({ configuration }: StepModel, { maxConcurrency }: Memory): 'kv' | 'engine' {
  return maxConcurrency < configuration.maxNumSeqs ? 'kv' : 'engine'
}

export function joinPools(
  prefill: Pool,
  decode: Pool,
  reader: PrefillInstance,
  writer: DecodeInstance,
  lengths: Lengths,
  named?: Link,
): SplitPools {
  const gpus = gpusOfPool(prefill) + gpusOfPool(decode)
  const from = reader.configuration
  const link = named ?? defaultLink(from.gpu, gpus)
  const transferS = transferSeconds(link, from, writer.model.configuration, lengths.inputTokens)
  return { prefill, decode, gpus, link, lengths, reader, writer, transferS }
}
