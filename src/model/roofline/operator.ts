import type { Bound, StepPart, StepWork } from './step-model.ts'

/** A step as one GPU of each pipeline stage sees it. With pipelining the batch is cut into as many pieces as there are stages. */
export interface Share {
  /** Tokens of all copies: what meets the experts. */
  tokens: number
  /** Of one data-parallel copy, that with most of them: prompts and sequences together. */
  copyTokens: number
  copySequences: number
  copyPromptTokens: number
  /** Rows that the output matrix is asked for: one a sequence, and the last of a prompt. */
  copyAnswers: number
  contextTokens: number
  promptContextTokens: number
}

export type PartName =
  | 'projections'
  | 'attention'
  | 'promptAttention'
  | 'feedForward'
  | 'experts'
  | 'head'
  | 'allReduce'
  | 'allToAll'
  | 'pipeline'
  | 'overhead'

/**
 * One kind of work, over all layers. It takes its launches and then the longer of two times, for reading and arithmetic go on side by
 * side; different operators do not, since each needs what the one before it gave. Near the ridge, where both take as long, neither quite
 * hides the other: kernel tables show up to a fifth more there, which a 4-norm in place of the maximum gives.
 *
 *     seconds = startS + (readS⁴ + computeS⁴)^¼
 */
export interface Operator {
  readonly name: PartName
  /** What reading is of. A collective "reads" its link. */
  readonly reads: Exclude<Bound, 'compute'>
  /** To launch its kernels, and what else does not go on beside them. */
  startS(share: Share): number
  readS(share: Share): number
  computeS(share: Share): number
  /** What `readS` and `computeS` were divided by. */
  readonly bytesPerSecond: number
  readonly flopsPerSecond: number
}

export const NOTHING = (): number => 0

export function operatorSeconds(operator: Operator, share: Share): number {
  return operator.startS(share) + nearlyLonger(operator.readS(share), operator.computeS(share))
}

function nearlyLonger(one: number, other: number): number {
  const [a, b] = [one * one, other * other]
  return Math.sqrt(Math.sqrt(a * a + b * b))
}

export function boundOf(operator: Operator, share: Share): Bound {
  return operator.computeS(share) > operator.readS(share) ? 'compute' : operator.reads
}

export function partOf(operator: Operator, share: Share): StepPart {
  const [readS, computeS] = [operator.readS(share), operator.computeS(share)]
  return {
    name: operator.name,
    seconds: operator.startS(share) + nearlyLonger(readS, computeS),
    binds: boundOf(operator, share),
    bytes: readS * operator.bytesPerSecond,
    flops: computeS * operator.flopsPerSecond,
  }
}

/**
 * Fills `share`, which the hot path uses again and again. A sequence is never cut: with fewer of them than pieces of a pipeline or copies,
 * the busiest has one, and it is the busiest that the others wait for.
 */
export function shareOf(work: StepWork, pp: number, dp: number, share: Share): Share {
  const least = Math.min(1, work.sequences)
  const pieceSequences = Math.max(least, work.sequences / pp)
  const piecePromptTokens = work.prefillTokens / pp
  share.copySequences = Math.max(least, pieceSequences / dp)
  share.copyPromptTokens = piecePromptTokens / (work.prefillCopies ?? dp)
  share.copyTokens = share.copySequences + share.copyPromptTokens
  share.tokens = pieceSequences + piecePromptTokens
  share.copyAnswers = Math.max(1, share.copySequences)
  share.contextTokens = work.contextTokens
  share.promptContextTokens = work.prefillContextTokens
  return share
}

export function emptyShare(): Share {
  return {
    tokens: 0,
    copyTokens: 0,
    copySequences: 0,
    copyPromptTokens: 0,
    copyAnswers: 0,
    contextTokens: 0,
    promptContextTokens: 0,
  }
}
