import { nameOfPools, type Pool, parallelismOf, predictedSplitCurve } from '../../model/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import type { SplitSource } from '../fleets/asked.ts'
import { foretoldCandidate } from './foretold-candidate.ts'

/** A group of split pools, whose instances go together: of it a fleet may have many. Throws IMPOSSIBLE_CONFIGURATION. */
export function splitCandidate(
  source: SplitSource,
  pools: { readonly prefill: Pool; readonly decode: Pool },
  usual?: MeanLengths,
): Candidate {
  const { gpu, link, samples, configurationOf } = source
  const { dp = 1 } = pools.decode
  const copies = pools.decode.count * dp
  return foretoldCandidate(
    source,
    {
      name: `${gpu.id} ${nameOfPools(pools.prefill, pools.decode)}`,
      configuration: configurationOf(parallelismOf(pools.decode)),
      isSplit: true,
      instances: pools.decode.count,
      ...(copies > 1 && { copies }),
      curveFor: (lengths) =>
        predictedSplitCurve({
          ...pools,
          lengths,
          configurationOf,
          ...(link !== undefined && { link }),
          ...(samples !== undefined && { samples }),
        }),
      unitFor: () => undefined,
    },
    usual,
  )
}
