import type { Accelerator, ComputeType } from '../catalogue/accelerator.ts'
import type { Configuration } from './configuration.ts'
import type { Constants } from './constants.ts'
import type { Operator, PartName } from './operator.ts'
import { type WeightFormat, weightFormats } from './precision.ts'
import type { Shards } from './shards.ts'

/** Kernels of a layer: QKV and the way back, of latents also what compresses and what spreads; up with its gate, and down. */
const KERNELS = { grouped: 2, latent: 6, linear: 3, feedForward: 2 } as const

/** The matrices that every token passes. Each is read once a step, however many tokens there are. */
export function matrixOperators(configuration: Configuration, shards: Shards, constants: Constants): Operator[] {
  const { model, gpu, precision } = configuration
  const formats = weightFormats(precision, model, gpu)
  const linearLayers = model.linear?.layers ?? 0
  const cachedLayers = model.layers - linearLayers
  const projections = KERNELS[model.attention.kind] * cachedLayers + KERNELS.linear * linearLayers
  const feedForward = KERNELS.feedForward * model.feedForward.layers
  return [
    made('projections', shards.projections, projections, formats.layers, 'copyTokens'),
    ...(feedForward > 0 ? [made('feedForward', shards.feedForward, feedForward, formats.layers, 'copyTokens')] : []),
    made('head', shards.head, 1, formats.head, 'copyAnswers'),
  ]

  function made(
    name: PartName,
    weights: number,
    kernels: number,
    { bytes, compute }: WeightFormat,
    rows: 'copyTokens' | 'copyAnswers',
  ): Operator {
    const bytesPerSecond = constants.weightRead * gpu.memoryBytesPerSecond
    const flopsPerSecond = productRate(gpu, compute, constants)
    const readS = (weights * bytes) / bytesPerSecond
    const startS = kernels * launchSeconds(compute, constants)
    const tokenS = (2 * weights) / flopsPerSecond
    return {
      name,
      reads: 'weights',
      startS: () => startS,
      readS: () => readS,
      computeS: (share) => tokenS * share[rows],
      bytesPerSecond,
      flopsPerSecond,
    }
  }
}

/** To start one kernel, in a type. */
export function launchSeconds(compute: ComputeType, { kernelS, narrowS }: Constants): number {
  return compute === 'bf16' || compute === 'fp16' ? kernelS : kernelS + narrowS
}

/**
 * FLOP/s of large products in a type. Operands come through the memory hierarchy, so what is fast at arithmetic for its memory reaches a
 * smaller share of it, whatever the type: 1/rate = flopTime/F + flopBytes/bandwidth.
 */
export function productRate(gpu: Accelerator, type: ComputeType, { flopTime, flopBytes }: Constants): number {
  return 1 / (flopTime / (gpu.flopsPerSecond[type] ?? 0) + flopBytes / gpu.memoryBytesPerSecond)
}
