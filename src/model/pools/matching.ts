import { halved } from './halved.ts'
import { PREFILL_SHARE } from './prompt-reading.ts'
import { gpusOfPool } from './split.ts'
import { decodeStepSeconds } from './split-loop.ts'
import type { SplitPools } from './split-pools.ts'

/** How many instances of each kind give most at a floor, and what they give. */
export interface PoolMatch {
  readonly prefill: number
  readonly decode: number
  /** That these take; not more than were there. */
  readonly gpus: number
  readonly requestsPerSecond: number
  readonly tokensPerSecondPerUser: number
  /** Over all GPUs that were there, idle ones too. */
  readonly tokensPerSecondPerGpu: number
}

/**
 * Matches the rates of the two pools over whole instances. A decode instance that keeps the floor with b sequences takes
 * r_d = b/(N·T(b)) requests a second, a prefill instance hands over r_p; of p and d of them the lesser side counts,
 *
 *     X = min(0.9·p·r_p, d·r_d),   p·G_p + d·G_d ≤ G
 *
 * Undefined where one sequence alone is slower than the floor, or the GPUs are too few for one instance of each.
 */
export function matchPools(split: SplitPools, floor: number, gpus: number = split.gpus): PoolMatch | undefined {
  const { reader, lengths, transferS } = split
  const size = {
    prefill: gpusOfPool({ ...split.prefill, count: 1 }),
    decode: gpusOfPool({ ...split.decode, count: 1 }),
  }
  const batch = batchAtFloor(split, floor)
  if (batch === undefined) return undefined
  const stepS = decodeStepSeconds(split, batch * split.decode.count)
  const decodeRate = batch / (lengths.outputTokens * stepS)
  let best: PoolMatch | undefined
  for (let prefill = 1; prefill * size.prefill + size.decode <= gpus; prefill++) {
    const room = Math.floor((gpus - prefill * size.prefill) / size.decode)
    const read = PREFILL_SHARE * prefill * reader.requestsPerSecond
    const decode = Math.min(room, Math.ceil(read / decodeRate))
    const requestsPerSecond = Math.min(
      read,
      decode * decodeRate,
      (PREFILL_SHARE * Math.min(prefill, decode)) / transferS,
    )
    if (best !== undefined && requestsPerSecond <= best.requestsPerSecond) continue
    best = {
      prefill,
      decode,
      gpus: prefill * size.prefill + decode * size.decode,
      requestsPerSecond,
      tokensPerSecondPerUser: 1 / stepS,
      tokensPerSecondPerGpu: (requestsPerSecond * lengths.outputTokens) / gpus,
    }
  }
  return best
}

/** The most sequences, not only whole ones, that one decode instance keeps at the floor. */
function batchAtFloor(split: SplitPools, floor: number): number | undefined {
  const stepAt = (batch: number): number => decodeStepSeconds(split, batch * split.decode.count)
  const { places } = split.writer
  if (stepAt(1) * floor > 1) return undefined
  if (stepAt(places) * floor <= 1) return places
  return halved(1, places, (batch) => stepAt(batch) * floor <= 1)
}
