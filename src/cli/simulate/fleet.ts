import { TwospeedError } from '../../core/index.ts'
import type { Accelerator, Catalogue, Configuration } from '../../model/index.ts'
import type { EnginePolicy, Pool, TransferLink } from '../../sim/index.ts'
import { given } from '../given.ts'
import type { PoolFlags } from './flags.ts'
import type { PoolPlan } from './plan.ts'

/** A pool as it is named, and what flags or a file say of it. */
export interface NamedPool {
  readonly name: string
  readonly role: Pool['role']
  readonly flags: PoolFlags
  /** GPUs of a replica, where a law is what is known of it. */
  readonly gpus?: number
  /** Whether lanes differ in priority. */
  readonly byPriority: boolean
}

/** The flags that only mean something of a model on GPUs. */
const OF_MODEL = ['gpu', 'tp', 'pp', 'ep', 'precision', 'kvPrecision'] as const

/** Throws what says all that is missing or contradicts itself, and what `predict` throws of a configuration that cannot be. */
export async function poolPlan({ name, role, flags, gpus, byPriority }: NamedPool, own?: Catalogue): Promise<PoolPlan> {
  const { law, model, gpu } = flags
  const { readLaw } = await import('../law.ts')
  const common = { name, role, replicas: flags.replicas ?? 1, dataParallel: flags.dp ?? 1 }
  if (law !== undefined) {
    const stray = [...(model === undefined ? [] : ['model']), ...OF_MODEL.filter((key) => flags[key] !== undefined)]
    if (stray.length > 0) {
      throw new TwospeedError(
        'CONFLICTING_FLAGS',
        `--law says how long a step takes, and ${stray.map(flagOf).join(', ')} would too.`,
        'Give a law, or a model and a GPU.',
      )
    }
    return {
      ...common,
      ...(gpus !== undefined && { gpusPerReplica: gpus }),
      policy: await policyOf(flags, byPriority),
      step: { law: readLaw(law) },
    }
  }
  if (model === undefined || gpu === undefined) {
    const missing =
      model === undefined && gpu === undefined
        ? 'neither a law nor a model'
        : `no --${model === undefined ? 'model' : 'gpu'}`
    throw new TwospeedError(
      'MISSING_VALUE',
      `Nothing says how long a step of ${name} takes: ${missing} is given.`,
      'Such as --law a=5ms,b=0.25ms, or --model llama-3.1-8b --gpu h100-sxm.',
    )
  }
  const { configuration, limits, gpusPerReplica } = await ofModel(flags, model, gpu, own)
  return { ...common, gpusPerReplica, policy: await policyOf(flags, byPriority, limits), step: { configuration } }
}

interface OfModel {
  readonly configuration: Configuration
  readonly limits: Pick<EnginePolicy, 'maxNumSeqs' | 'maxBatchedTokens' | 'kvTokens'>
  readonly gpusPerReplica: number
}

/** What a model on GPUs gives each engine of a replica: of one for each data-parallel copy. */
async function ofModel(flags: PoolFlags, model: string, gpu: string, own?: Catalogue): Promise<OfModel> {
  const { configurationOf } = await import('../configuration.ts')
  const { memoryOf } = await import('../../model/index.ts')
  const { tp, pp, ep, dp, precision, kvPrecision, maxBatchedTokens } = flags
  const copies = dp ?? 1
  const asked = {
    ...given({ tp, pp, ep, dp, precision, kvPrecision, maxBatchedTokens }),
    ...(flags.maxNumSeqs !== undefined && { maxNumSeqs: flags.maxNumSeqs * copies }),
  }
  const configuration = configurationOf({ model, gpu, inputTokens: 1, outputTokens: 1, ...asked }, own)
  const { kvCapacityTokens } = memoryOf(configuration, { inputTokens: 1, outputTokens: 1 })
  return {
    configuration,
    limits: {
      maxNumSeqs: configuration.maxNumSeqs / copies,
      maxBatchedTokens: configuration.maxBatchedTokens,
      kvTokens: Math.floor(kvCapacityTokens / copies),
    },
    gpusPerReplica: configuration.parallelism.tp * configuration.parallelism.pp * copies,
  }
}

async function policyOf(
  { maxNumSeqs, maxBatchedTokens, kvTokens, blockTokens, ...flags }: PoolFlags,
  byPriority: boolean,
  limits: Partial<EnginePolicy> = {},
): Promise<EnginePolicy> {
  const { enginePolicy } = await import('../../sim/index.ts')
  return enginePolicy({
    ...limits,
    ...given({ maxNumSeqs, maxBatchedTokens, kvTokens, blockTokens }),
    prefill: flags.prefillFirst === true ? 'first' : 'chunked',
    kv: flags.reserve === true ? 'reserve' : 'preempt',
    admission: byPriority ? 'priority' : 'fcfs',
    asynchronous: flags.asyncScheduling === true,
    prefixCache: flags.prefixCache === true,
    wholePrompt: flags.wholePrompt === true,
  })
}

export interface LinkFlags {
  readonly link?: string
  readonly linkConcurrency?: number
  readonly kvBytes?: number
}

/** Tokens of a prompt by which the rate of a link is found. */
const PROMPT_TOKENS = 1024

/**
 * The link between a pool that reads and one that answers. Of models what `predict` has: the ranks of an instance send side by side. Each
 * instance has its own, so that as many transfers go at once as the side with fewer has, unless it is said.
 */
export async function linkPlan(reader: PoolPlan, writer: PoolPlan, flags: LinkFlags): Promise<TransferLink> {
  const { defaultLink, memoryOf, parseLink, transferSeconds } = await import('../../model/index.ts')
  const concurrency = flags.linkConcurrency ?? Math.min(reader.replicas, writer.replicas)
  if ('configuration' in reader.step && 'configuration' in writer.step) {
    const [from, to] = [reader.step.configuration, writer.step.configuration]
    const gpus = reader.replicas * (reader.gpusPerReplica ?? 1) + writer.replicas * (writer.gpusPerReplica ?? 1)
    const link = flags.link === undefined ? defaultLink(from.gpu, gpus) : parseLink(flags.link, from.gpu)
    const bytesPerToken = flags.kvBytes ?? memoryOf(to, { inputTokens: 1, outputTokens: 1 }).kvBytesPerToken
    const seconds = transferSeconds(link, from, to, PROMPT_TOKENS)
    return { bytesPerToken, concurrency, bytesPerSecond: (bytesPerToken * PROMPT_TOKENS) / seconds }
  }
  if (flags.link === undefined || flags.kvBytes === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      'Between pools that are timed by a law nothing says how long the KV cache of a prompt travels.',
      'Give --link, such as 50GB/s, and --kv-bytes, of one token: 131072 for Llama-3.1-8B in 16 bits.',
    )
  }
  const named: Accelerator | undefined = 'configuration' in reader.step ? reader.step.configuration.gpu : undefined
  return { bytesPerToken: flags.kvBytes, concurrency, bytesPerSecond: parseLink(flags.link, named).bytesPerSecond }
}

export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
