import type { Configuration } from './configuration.ts'
import { weightFormats } from './precision.ts'
import { shardsOf } from './shards.ts'

/**
 * Tokens of a step, of one data-parallel copy, from which arithmetic takes longer than the reading of the weights, by the datasheet:
 *
 *     T = (bytes / bandwidth) / (2 · active weights / FLOP/s), for a dense model in w bytes a weight w/2 · FLOP/s ÷ bandwidth
 *
 * A mixture of experts reads them all by then and multiplies by the active ones, so its ridge lies farther out.
 */
export function ridgeTokens({ model, gpu, precision, parallelism }: Configuration): number {
  const shards = shardsOf(model, parallelism)
  const formats = weightFormats(precision, model, gpu)
  const flops = (of: keyof typeof formats): number => gpu.flopsPerSecond[formats[of].compute] ?? 0
  const always = shards.projections + shards.feedForward + shards.besideExperts
  const routed = shards.expert * (model.experts?.layers ?? 0)
  const touched = (model.experts?.active ?? 0) * (shards.expertsHeld / (model.experts?.all ?? 1))
  const bytes = formats.layers.bytes * always + formats.experts.bytes * routed * shards.expertsHeld
  const tokenS = (2 * always) / flops('layers') + (2 * routed * touched * parallelism.dp) / flops('experts')
  return bytes / gpu.memoryBytesPerSecond / tokenS
}
