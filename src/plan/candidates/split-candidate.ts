import { nameOfPools, type Pool, parallelismOf, predictedSplitCurve, type StepModel } from '../../model/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import { type SplitInstances, unitOfSplit } from '../check/index.ts'
import type { SplitSource } from '../fleets/asked.ts'
import { foretoldCandidate } from './foretold-candidate.ts'

/** A group of split pools, whose instances go together: of it a fleet may have many. Throws IMPOSSIBLE_CONFIGURATION. */
export function splitCandidate(
  source: SplitSource,
  pools: { readonly prefill: Pool; readonly decode: Pool },
  usual?: MeanLengths,
): Candidate {
  const { gpu, link, samples, configurationOf } = source
  const { prefill, decode } = pools
  const copies = decode.count * (decode.dp ?? 1)
  return foretoldCandidate(
    source,
    {
      name: `${gpu.id} ${nameOfPools(prefill, decode)}`,
      configuration: configurationOf(parallelismOf(decode)),
      isSplit: true,
      instances: decode.count,
      ...(copies > 1 && { copies }),
      curveFor: (lengths) =>
        predictedSplitCurve({
          ...pools,
          lengths,
          configurationOf,
          ...(link !== undefined && { link }),
          ...(samples !== undefined && { samples }),
        }),
      unitFor: ({ inputTokens: input, outputTokens: output }, { stepModel, reading }) =>
        reading &&
        unitOfSplit(instances(prefill.count, reading.stepModel), instances(decode.count, stepModel), reading.link, {
          input,
          output,
        }),
    },
    usual,
  )
}

const instances = (count: number, model: StepModel): SplitInstances => ({
  configuration: model.configuration,
  instances: count,
  model,
})
