import type { Law, LoadPoint } from '../../model/index.ts'
import type { MeanLengths } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'
import { replicasOf } from '../replica.ts'

export interface PromptCost {
  /**
   * d: what a token of a prompt adds to the step that reads it; of prompts of unknown length, which count as one token each, a
   * whole one.
   */
  readonly perTokenS: number
  /** What is not the step's, but passes before the prompt is read. */
  readonly entryS: number
  /** p: prompt tokens that a step of a point met in the mean. */
  perStepAt(point: LoadPoint): number
}

/** Of a measured step, at most so much can have been prompts; what a wait has beyond is no work of the steps. */
const MOST_OF_STEP = 0.5

/**
 * What prompts cost: a law's own d; else what the wait for a first token says at the least load that holds one. There a request waits for
 * the step that reads its prompt, which is one of the others' with I tokens of prompt more, and where others are there for half of one
 * before that:
 *
 *     TTFT = n·T + d·(I − p),     n = 1 alone, 1.5 among others; T has p prompt tokens in it already
 *
 * With neither, prompts cost nothing.
 */
export function promptCostOf(evidence: Evidence, lengths: MeanLengths, law?: Law): PromptCost {
  const { points } = evidence.curve
  const measured = measuredLengths(evidence, lengths)
  const { input = 1, output } = measured
  const perStepAt = (point: LoadPoint): number => {
    const { batch, load, promptTokens = input / Math.max(1, output - 1) } = point
    const { othersShare = Math.max(0, 1 - replicasOf(evidence) / load) } = point
    return batch * promptTokens * othersShare
  }
  if (law?.perPrefillTokenS !== undefined) return { perTokenS: law.perPrefillTokenS, entryS: 0, perStepAt }
  const first = points.find(({ ttftMs }) => ttftMs !== undefined)
  if (first?.ttftMs === undefined) return { perTokenS: 0, entryS: 0, perStepAt }
  const steps = first.load / replicasOf(evidence) > 1 ? 1.5 : 1
  const readS = Math.max(0, first.ttftMs / 1000 - steps * first.stepS)
  const whole = readS / Math.max(input / 2, input - perStepAt(first))
  const most = Math.min(...points.map((point) => (MOST_OF_STEP * point.stepS) / Math.max(perStepAt(point), 1e-12)))
  const perTokenS = Math.min(whole, most)
  return { perTokenS, entryS: (whole - perTokenS) * input, perStepAt }
}

/** Of the requests that were measured: as the fit has them, else by what sequences held; where nothing says it, as the planned ones. */
function measuredLengths({ fit, curve }: Evidence, { input, output }: MeanLengths): MeanLengths {
  if (input === undefined) return { output: fit.lengths?.output ?? output }
  if (fit.lengths !== undefined) return fit.lengths
  const { contextTokens: context, promptTokens: prompt } = curve.points[0] ?? {}
  if (context === undefined || prompt === undefined) return { input, output }
  // context = I + N/2 and prompt = I/(N − 1), so N = (context + prompt) / (prompt + ½).
  const answer = (context + prompt) / (prompt + 0.5)
  return { input: Math.max(1, context - answer / 2), output: answer }
}
