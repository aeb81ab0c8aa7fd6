import type { Product, ProductWork } from '../../core/index.ts'
import { matchedGroups } from '../../model/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import { splitCandidate } from '../candidates/split-candidate.ts'
import type { SplitSource } from './asked.ts'

/** So many of each source. */
const MOST = 8

/**
 * Groups of split pools that are worth a look for a product: of every two layouts the instances that go together best within the GPUs of a source, and of
 * those the few that make most for each GPU. Empty where prompts have no length.
 */
export function splitCandidates(
  sources: readonly SplitSource[],
  product: Product & ProductWork,
  { input, output }: MeanLengths,
): readonly Candidate[] {
  if (input === undefined) return []
  const { tokensPerSecond: floor, ttftMs } = product
  const lengths = { inputTokens: input, outputTokens: output }
  return sources.flatMap((source) => {
    const groups = matchedGroups({
      ...source,
      lengths,
      most: MOST,
      objective: { ...(floor !== undefined && { floor }), ...(ttftMs !== undefined && { ttftMs }) },
    })
    return groups.map((pools) => splitCandidate(source, pools, { input, output }))
  })
}
