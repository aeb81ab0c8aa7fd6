import type { Lengths } from './configuration.ts'
import type { StepModel, StepWork } from './step-model.ts'

type Work = { -readonly [Key in keyof Required<StepWork>]: StepWork[Key] } & { prefillCopies: number }

/** The mean step that a stream lives through, and how long its prompt took. Filled again and again. */
export interface MeanStep {
  readonly alone: Work
  /** The same with a piece of a prompt. */
  readonly mixed: Work
  /** Of steps, those that read prompts too. */
  mixedShare: number
  /** Prompt tokens in one of those, of all that step together. */
  chunk: number
  /** Prompt tokens that come, of those that can be read: above 1 only where every step is full of them and they come faster yet. */
  full: number
  stepS: number
  ttftS: number
}

export function emptyMeanStep(): MeanStep {
  const work = { sequences: 0, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0, prefillCopies: 1 }
  return { alone: { ...work }, mixed: { ...work }, mixedShare: 0, chunk: 0, full: 0, stepS: 0, ttftS: 0 }
}

/** Copies of a dense model are servers of their own. Those of a mixture share out their experts, and so wait for one another every step. */
function groupsOf({ configuration: { model, parallelism } }: StepModel): number {
  return model.experts === undefined ? parallelism.dp : 1
}

/**
 * The mean step with n sequences that decode in the mean, of C that are held, as one of them meets it. The other C − 1 are in their prompts
 * and answers independently of it, so of a group of n and C (over its own copies)
 *
 *     sequences in the step   s = 1 + n·(C − 1)/C
 *     prompt tokens a step    p = n·(C − 1)/C · I/D          as many requests begin as end
 *     mean step               T = T(s) + p·(T(s, P) − T(s))/P
 *
 * P is the prompt tokens of a step that has any. One copy reads one prompt, in pieces that the budget allows; where more come than one
 * such piece a step, more copies read, and at last more than a prompt at once.
 */
export function fillMeanStep(
  model: StepModel,
  { inputTokens, outputTokens }: Lengths,
  batch: number,
  held: number,
  load: number,
  step: MeanStep,
): void {
  const { maxBatchedTokens, parallelism } = model.configuration
  const groups = groupsOf(model)
  const copies = parallelism.dp / groups
  // Of the requests in flight those that are not one's own, as a share.
  const others = Math.max(0, 1 - groups / held)
  const met = (batch / groups) * others
  const sequences = 1 + met
  const promptTokens = (met * inputTokens) / Math.max(1, outputTokens - 1)
  const room = Math.max(1, maxBatchedTokens - sequences / copies)
  const piece = Math.min(room, inputTokens)
  const chunk = Math.max(piece, Math.min(promptTokens, room * copies))
  const readers = Math.min(copies, chunk / piece)

  const { alone, mixed } = step
  alone.sequences = mixed.sequences = sequences * groups
  alone.contextTokens = mixed.contextTokens = inputTokens + outputTokens / 2
  mixed.prefillTokens = chunk * groups
  mixed.prefillContextTokens = inputTokens / 2
  mixed.prefillCopies = readers * groups
  const decodeS = model.stepSeconds(alone)
  const promptS = model.stepSeconds(mixed) - decodeS
  step.mixedShare = promptTokens / chunk
  step.chunk = chunk
  step.stepS = decodeS + step.mixedShare * promptS
  // One's own prompt is read as well, though one never meets it.
  const arriving = ((batch / groups) * inputTokens) / Math.max(1, outputTokens - 1)
  step.full = chunk < room * copies ? 0 : (arriving * (decodeS + promptS)) / (chunk * step.stepS)

  // A prompt waits for the end of a step, and behind those that its own copy reads: prompts take equally long and come much as a Poisson
  // stream does, so it waits busy/(2·(1 − busy)) times as long as one takes.
  const busy = ((step.mixedShare * promptS) / step.stepS) * (readers / copies)
  const ownS = Math.ceil(inputTokens / room) * decodeS + (inputTokens * readers * promptS) / chunk
  // The last piece of a prompt leaves a pipeline pp − 1 slots after the first; the mean step counts one slot a piece.
  const { pp } = parallelism
  const throughS = (ownS * (2 * pp - 1)) / pp
  const queueS = (ownS * busy) / (2 * (1 - busy))
  const underWayS = (others * step.stepS) / 2
  step.ttftS = model.waitFactor(load) * (model.arrivalSeconds(inputTokens) + underWayS + queueS + throughS)
}
