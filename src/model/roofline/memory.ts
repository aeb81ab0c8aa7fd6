import { TwospeedError } from '../../core/index.ts'
import { cacheBytesPerToken, sequenceBytes } from './cache.ts'
import { type Configuration, type Lengths, meanContext } from './configuration.ts'
import { kvBytes, weightFormats } from './precision.ts'
import { shardsOf } from './shards.ts'

/** Where the memory of one GPU goes, in bytes, and what it lets the replica hold. Keys as `predict --json` prints them. */
export interface Memory {
  readonly weightBytesPerGpu: number
  /** Of the whole model, one copy. */
  readonly kvBytesPerToken: number
  /** Tokens of context that the whole replica holds. */
  readonly kvCapacityTokens: number
  /** Requests of the lengths asked for that fit at once. */
  readonly maxConcurrency: number
}

/** Kernels, libraries and graphs: what vLLM reports as non-torch memory and CUDA graphs, 0.1 to 1.2 GiB. */
const ENGINE_BYTES = 0.6 * 2 ** 30
/** Of a logit of every sequence: the sampler sorts and sums them, in 32 and 64 bits. vLLM reports 4.8 GiB for 1024 rows of 128 256. */
const SAMPLER_BYTES = 40

/**
 * Where the memory goes, on the GPU that holds most, and what is left for the cache.
 *
 *     cache = share · memory − weights − sampler − engine
 *
 * Throws DOES_NOT_FIT with the arithmetic where that leaves no room for one request of the lengths asked for.
 */
export function memoryOf(configuration: Configuration, lengths: Lengths): Memory {
  const { model, gpu, parallelism, memoryShare, maxNumSeqs } = configuration
  const { tp, pp, dp } = parallelism
  const width = kvBytes(configuration.kvPrecision) ?? 2
  const weightBytesPerGpu = weightBytes(configuration)
  const usable = memoryShare * gpu.memoryBytes
  const room = usable - weightBytesPerGpu - ENGINE_BYTES
  // Where memory is short an engine is started for fewer sequences at once.
  const samplerBytes = Math.max(0, Math.min(SAMPLER_BYTES * model.vocabulary * (maxNumSeqs / dp), room / 2))
  const free = room - samplerBytes
  // The fullest stage of a pipeline limits all of them; its share of a token is that of its layers.
  const stage = Math.ceil(model.layers / pp) / model.layers
  const { inputTokens, outputTokens } = lengths
  const longest = sequenceBytes(model, width, tp, inputTokens + outputTokens) * stage
  if (!(free >= longest)) {
    const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
    const sampler =
      samplerBytes === 0 ? '' : `the sampler's logits of ${maxNumSeqs / dp} sequences ${gigabytes(samplerBytes)}, `
    throw new TwospeedError(
      'DOES_NOT_FIT',
      `${model.id} in ${configuration.precision} does not fit: of ${gigabytes(gpu.memoryBytes)} of memory ${gpu.id} gives ${gigabytes(usable)} ` +
        `(${Math.round(100 * memoryShare)} %); weights take ${gigabytes(weightBytesPerGpu)}, kernels and graphs of the engine ` +
        `${gigabytes(ENGINE_BYTES)}, ${sampler}one request of ${inputTokens} + ${outputTokens} tokens ${gigabytes(longest)}.`,
      'More GPUs (--tp, --pp, --ep) or fewer bits (--precision, --kv-precision) make room.',
    )
  }
  // Every copy has its own cache.
  const mean = sequenceBytes(model, width, tp, meanContext(lengths)) * stage
  return {
    weightBytesPerGpu,
    kvBytesPerToken: cacheBytesPerToken(model, width, 1),
    kvCapacityTokens: dp * Math.floor(free / (cacheBytesPerToken(model, width, tp) * stage)),
    maxConcurrency: dp * Math.floor(free / mean),
  }
}

/** All weights stored on the GPU that holds most: those of its layers, and the embedding or the output matrix of a pipeline's ends. */
function weightBytes({ model, gpu, precision, parallelism }: Configuration): number {
  const shards = shardsOf(model, parallelism)
  const formats = weightFormats(precision, model, gpu)
  const layers =
    formats.layers.bytes * (shards.projections + shards.feedForward + shards.besideExperts) +
    formats.experts.bytes * shards.expert * shards.expertsHeld * (model.experts?.layers ?? 0)
  const ends = parallelism.pp === 1 ? shards.head + shards.embedding : shards.head
  return (layers * Math.ceil(model.layers / parallelism.pp)) / model.layers + formats.head.bytes * ends
}
