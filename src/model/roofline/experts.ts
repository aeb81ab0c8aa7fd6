import type { Configuration } from './configuration.ts'
import type { Constants } from './constants.ts'
import { launchSeconds, productRate } from './matrices.ts'
import type { Operator } from './operator.ts'
import { weightFormats } from './precision.ts'
import type { Shards } from './shards.ts'

/** Kernels of a layer: up and down of the routed experts, the router, and up and down of the shared ones. */
const KERNELS = { routed: 3, shared: 2 } as const

/**
 * How many of E experts a step of T tokens touches, where each token is sent to k of them. By lot it is E·(1 − (1 − k/E)^T). Real routers
 * have favourites: where the popularity of experts follows a gamma distribution of shape s, it is E·(1 − (1 − T·ln(1 − k/E)/s)^−s), which
 * is the same for an s without end, and for few tokens.
 */
export function expertsTouched(
  experts: { readonly all: number; readonly active: number },
  tokens: number,
  shape: number = Number.POSITIVE_INFINITY,
): number {
  return experts.all * touchedShare(missOf(experts), tokens, shape)
}

/** ln(1 − k/E): the logarithm of the chance that a token misses an expert. */
function missOf({ all, active }: { readonly all: number; readonly active: number }): number {
  return active < all ? Math.log1p(-active / all) : Number.NEGATIVE_INFINITY
}

function touchedShare(miss: number, tokens: number, shape: number): number {
  if (tokens <= 0) return 0
  return shape === Number.POSITIVE_INFINITY ? -Math.expm1(miss * tokens) : 1 - (1 - (miss * tokens) / shape) ** -shape
}

/** Routed experts, of which a step reads those that it touches; and the shared ones and the router, which it always reads. */
export function expertOperators(configuration: Configuration, shards: Shards, constants: Constants): Operator[] {
  const { model, gpu, precision } = configuration
  const { experts } = model
  if (experts === undefined) return []
  const formats = weightFormats(precision, model, gpu)
  const { bytes, compute } = formats.experts
  // What is kept in fewer bits than it is multiplied in is unpacked first, and that takes arithmetic too.
  const unpacked = bytes < 1 && (compute === 'bf16' || compute === 'fp16')
  const readable = constants.expertRead * gpu.memoryBytesPerSecond
  const unpackable = unpacked
    ? (bytes * (gpu.flopsPerSecond[compute] ?? 0)) / constants.unpackFlops
    : Number.POSITIVE_INFINITY
  const bytesPerSecond = Math.min(readable, unpackable)
  const flopsPerSecond = constants.expertCompute * productRate(gpu, compute, constants)
  const routed = experts.layers * shards.expert
  const allReadS = (routed * shards.expertsHeld * bytes) / bytesPerSecond
  const besideReadS = (shards.besideExperts * formats.layers.bytes) / readable
  // A token passes k experts; this GPU holds its share of them.
  const tokenS = (2 * routed * experts.active * (shards.expertsHeld / experts.all)) / flopsPerSecond
  const besideTokenS = (2 * shards.besideExperts) / flopsPerSecond
  const miss = missOf(experts)
  const kernels = KERNELS.routed + (experts.sharedWidth > 0 ? KERNELS.shared : 0)
  const startS = experts.layers * (kernels * launchSeconds(compute, constants) + constants.expertLayerS)
  return [
    {
      name: 'experts',
      reads: 'weights',
      startS: () => startS,
      readS: (share) => besideReadS + allReadS * touchedShare(miss, share.tokens, constants.routing),
      computeS: (share) => tokenS * share.tokens + besideTokenS * share.copyTokens,
      bytesPerSecond,
      flopsPerSecond,
    },
  ]
}
