import type { StepModel, StepWork } from '../../model/index.ts'
import type { StepTime } from './step-time.ts'
import { straightPieces } from './straight-pieces.ts'

/** Tokens of context, in the mean of a step, up to which corners are looked for; beyond it the last piece goes on. */
const LONGEST_CONTEXT = 2 ** 24
/** How far a straight piece may lie from the roofline, as a share of the step. */
const TOLERANCE = 1e-4

type Work = { -readonly [Key in keyof StepWork]: StepWork[Key] }

/**
 * Steps timed from datasheets, as `predict` times them. A StepLoad is of one engine, one data-parallel copy; the model's step is of all
 * copies of a replica, which are taken to do the same.
 *
 * A step of decode alone is a row of straight pieces in the mean context k, within 0.01 % of the roofline: with n sequences and K = n·k
 *
 *     T(n, K) = T(n, n·kᵢ) + slopeᵢ(n)·(K − n·kᵢ),    kᵢ ≤ k ≤ kᵢ₊₁
 *
 * All batches have the corners kᵢ of the greatest one, whose steps the cache has the largest part in; so the time is the same pure function
 * of the load whoever asks, and after the first step of a batch costs a multiplication.
 */
export function modelStepTime(model: StepModel): StepTime {
  const { maxNumSeqs, parallelism } = model.configuration
  const copies = parallelism.dp
  const work: Work = { sequences: 0, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0 }
  const decodeSeconds = (sequences: number, contextTokens: number): number => {
    work.sequences = copies * sequences
    work.contextTokens = contextTokens
    work.prefillTokens = 0
    work.prefillContextTokens = 0
    return model.stepSeconds(work)
  }
  const most = Math.max(1, maxNumSeqs / copies)
  const corners = straightPieces((context) => decodeSeconds(most, context), 1, LONGEST_CONTEXT, TOLERANCE)
  const pieces = corners.length - 1

  /** Of each batch that was met, piece after piece: seconds where its line meets K = 0, and its slope. */
  const lines: (Float64Array | undefined)[] = []
  const linesOf = (sequences: number): Float64Array => {
    const made = new Float64Array(2 * pieces)
    for (let piece = 0; piece < pieces; piece++) {
      const [from = 0, to = 0] = [corners[piece], corners[piece + 1]]
      const fromS = decodeSeconds(sequences, from)
      const slope = (decodeSeconds(sequences, to) - fromS) / (sequences * (to - from))
      made[2 * piece] = fromS - slope * sequences * from
      made[2 * piece + 1] = slope
    }
    return made
  }
  const pieceAt = (context: number): number => {
    let piece = 0
    while (piece < pieces - 1 && context >= (corners[piece + 1] ?? 0)) piece++
    return piece
  }

  return {
    seconds({ decoding, decodeKvTokens, prefillTokens, prefillContextTokens }) {
      if (prefillTokens > 0) {
        work.sequences = copies * decoding
        work.contextTokens = decoding > 0 ? decodeKvTokens / decoding : 0
        work.prefillTokens = copies * prefillTokens
        work.prefillContextTokens = prefillContextTokens
        return model.stepSeconds(work)
      }
      lines[decoding] ??= linesOf(decoding)
      const line = lines[decoding]
      const piece = pieceAt(decodeKvTokens / decoding)
      return (line?.[2 * piece] ?? 0) + (line?.[2 * piece + 1] ?? 0) * decodeKvTokens
    },
    straightFor({ decoding, decodeKvTokens, prefillTokens }, longest) {
      if (prefillTokens > 0) return 1
      const context = decodeKvTokens / decoding
      const piece = pieceAt(context)
      if (piece === pieces - 1) return longest
      // Step j reads a mean context of k + j − 1; the last one may stand on the corner, where both pieces meet.
      const steps = Math.floor((corners[piece + 1] ?? 0) - context) + 1
      return Math.max(1, Math.min(longest, steps))
    },
  }
}
