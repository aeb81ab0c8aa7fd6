import { poolOf } from '../pools/candidates.ts'
import { PREFILL_SHARE, readingCapacity } from '../pools/prompt-reading.ts'
import type { Pool } from '../pools/split.ts'
import { type SplitPairsRequest, splitPairs } from '../pools/split-pairs.ts'
import type { SplitWay } from '../pools/split-way.ts'
import type { CalibrationSample } from '../roofline/calibrate.ts'
import { basisOf } from './basis.ts'

export interface MatchedGroupsRequest extends Omit<SplitPairsRequest, 'stepModelOf'> {
  readonly samples?: readonly CalibrationSample[]
  /** So many of the best are wanted. */
  readonly most: number
}

/** Instances of two layouts that go together. */
export interface MatchedGroup {
  readonly prefill: Pool
  readonly decode: Pool
}

/**
 * Of every two layouts, the instances within the GPUs of the request that make most for each of them: the lesser of what they read and what they
 * answer counts. Those that make most first.
 */
export function matchedGroups(request: MatchedGroupsRequest): readonly MatchedGroup[] {
  const { lengths, samples, most, gpus } = request
  const { stepModelOf } = basisOf(lengths, samples)
  const found = new Map<string, { readonly group: MatchedGroup; readonly perGpu: number }>()
  for (const { way, within } of splitPairs({ ...request, stepModelOf })) {
    const best = bestOf(way, Math.min(gpus, within))
    if (best === undefined) continue
    const { reader, writer } = way
    const prefill = poolOf(best.prefill, reader.configuration)
    const decode = poolOf(best.decode, writer.model.configuration)
    const key = JSON.stringify([
      { ...prefill, count: 0 },
      { ...decode, count: 0 },
    ])
    const known = found.get(key)
    if (known === undefined || known.perGpu < best.perGpu) {
      found.set(key, { group: { prefill, decode }, perGpu: best.perGpu })
    }
  }
  return [...found.values()]
    .sort((a, b) => b.perGpu - a.perGpu)
    .slice(0, most)
    .map(({ group }) => group)
}

function bestOf(
  way: SplitWay,
  gpus: number,
): { readonly prefill: number; readonly decode: number; readonly perGpu: number } | undefined {
  const { size, most } = way
  let best: ReturnType<typeof bestOf>
  for (let decode = 1; decode * size.decode + size.prefill <= gpus; decode++) {
    for (let prefill = 1; decode * size.decode + prefill * size.prefill <= gpus; prefill++) {
      const read = PREFILL_SHARE * readingCapacity(way, prefill, decode).requestsPerSecond
      const rate = Math.min(read, decode * most.requestsPerSecond)
      const perGpu = rate / (decode * size.decode + prefill * size.prefill)
      if (perGpu > (best?.perGpu ?? 0) * (1 + 1e-9)) best = { prefill, decode, perGpu }
    }
  }
  return best
}
