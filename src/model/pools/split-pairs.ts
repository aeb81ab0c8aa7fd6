import { TwospeedError } from '../../core/index.ts'
import { type CandidateRequest, candidatesOf } from './candidates.ts'
import { defaultLink, type Link } from './link.ts'
import { usefulInstances } from './split-choices.ts'
import { quickBatch, type SplitObjective, type SplitWay, splitWay } from './split-way.ts'

export interface SplitPairsRequest extends CandidateRequest {
  readonly objective: SplitObjective
  /** Absent: the GPUs' own where all are in one domain, else a network port for each. */
  readonly link?: Link
}

/** Of every two layouts that hold the objective at all, one that reads and one that answers; within so many GPUs that is their link. */
export function splitPairs(request: SplitPairsRequest): readonly { readonly way: SplitWay; readonly within: number }[] {
  const { lengths, objective } = request
  const { readers, writers } = usefulOf(request)
  return writers.flatMap((writer) => {
    const quick = quickBatch(writer, lengths, objective.floor)
    if (quick === undefined) return []
    return readers.flatMap((reader) =>
      linksOf(request).flatMap(({ link, within }) => {
        const way = splitWay(reader, writer, lengths, link, objective, quick)
        return way === undefined ? [] : [{ way, within }]
      }),
    )
  })
}

/** None where nothing fits. */
function usefulOf(request: CandidateRequest): ReturnType<typeof usefulInstances> {
  try {
    const { readers, writers } = candidatesOf(request)
    return usefulInstances(readers, writers, request.lengths)
  } catch (error) {
    if (error instanceof TwospeedError) return { readers: [], writers: [] }
    throw error
  }
}

function linksOf({ gpu, link }: SplitPairsRequest): readonly { readonly link: Link; readonly within: number }[] {
  const anywhere = Number.POSITIVE_INFINITY
  if (link !== undefined) return [{ link, within: anywhere }]
  const beyond = { link: defaultLink(gpu, gpu.domain + 1), within: anywhere }
  return gpu.domain < 2 ? [beyond] : [{ link: defaultLink(gpu, gpu.domain), within: gpu.domain }, beyond]
}
