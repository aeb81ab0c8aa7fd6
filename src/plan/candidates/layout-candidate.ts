import { TwospeedError } from '../../core/index.ts'
import { layoutName, layoutsOf, type Parallelism, predictedCurve } from '../../model/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import { unitOfConfiguration } from '../check/index.ts'
import type { SplitSource } from '../fleets/asked.ts'
import { foretoldCandidate } from './foretold-candidate.ts'

/** One replica of GPUs of one kind, laid out so. */
export function layoutCandidate(source: SplitSource, parallelism: Parallelism, usual?: MeanLengths): Candidate {
  const configuration = source.configurationOf(parallelism)
  const { dp } = parallelism
  return foretoldCandidate(
    source,
    {
      name: `${source.gpu.id} ${layoutName(parallelism)}`,
      configuration,
      ...(dp > 1 && { copies: dp }),
      curveFor: (lengths) => predictedCurve(configuration, lengths, source.samples),
      unitFor: ({ inputTokens: input, outputTokens: output }, { stepModel }) =>
        unitOfConfiguration(configuration, { input, output }, stepModel),
    },
    usual,
  )
}

/** Of every layout inside one domain that has the memory. Throws as the largest is refused where none has. */
export function layoutCandidates(source: SplitSource, usual: MeanLengths): readonly Candidate[] {
  const { model, gpu, gpus } = source
  const found: Candidate[] = []
  const refusals: TwospeedError[] = []
  for (const layout of layoutsOf(model, gpu, Math.min(gpus, gpu.domain), 1)) {
    try {
      const candidate = layoutCandidate(source, layout, usual)
      candidate.evidenceFor()
      found.push(candidate)
    } catch (error) {
      if (!(error instanceof TwospeedError)) throw error
      refusals.push(error)
    }
  }
  const refusal = refusals.at(-1)
  if (found.length === 0 && refusal !== undefined) throw refusal
  return found
}
