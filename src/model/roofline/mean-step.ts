import { type Lengths, meanContext } from './configuration.ts'
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
  stepS: number
  ttftS: number
}

export function emptyMeanStep(): MeanStep {
  const work = { sequences: 0, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0, prefillCopies: 1 }
  return { alone: { ...work }, mixed: { ...work }, mixedShare: 0, chunk: 0, stepS: 0, ttftS: 0 }
}

/** Copies of a dense model are servers of their own. Those of a mixture share out their experts, and so wait for one another every step. */
function groupsOf({ configuration: { model, parallelism } }: StepModel): number {
  return model.experts === undefined ? parallelism.dp : 1
}

/**
 * The mean step with n sequences that decode in the mean, of C that are held, as one of them meets it. The other C − 1 are in their prompts
 * and answers independently of it: of prompts it meets those of the others. So of a group with n and C of its own
 *
 *     sequences in the step    s = 1 + n·(C − 1)/C
 *     prompt tokens a step     p = n·I/D                      as many requests begin as end
 *     steps that carry any     φ = 1 − (1 − q)^k              k places for pieces in a step, of which q = p/(k·piece) are taken
 *     mean step                T = T(s) + φ·((C − 1)/C)^(1−φ)·(T(s, P) − T(s))
 *
 * where P = p/φ is the prompt tokens of a step that has any. Once every step has, φ = 1, it makes no difference whose they are. One copy
 * reads a prompt, in pieces that the budget allows, and has as many places as these leave room for.
 */
export function fillMeanStep(
  model: StepModel,
  lengths: Lengths,
  batch: number,
  held: number,
  load: number,
  step: MeanStep,
): void {
  const { inputTokens, outputTokens } = lengths
  const { maxBatchedTokens, parallelism } = model.configuration
  const groups = groupsOf(model)
  const copies = parallelism.dp / groups
  // Of the requests in flight those that are not one's own, as a share.
  const others = Math.max(0, 1 - groups / held)
  const sequences = 1 + (batch / groups) * others
  const promptTokens = ((batch / groups) * inputTokens) / Math.max(1, outputTokens - 1)
  const room = Math.max(1, maxBatchedTokens - sequences / copies)
  const piece = Math.min(room, inputTokens)
  // Pieces that a copy has room for in a step.
  const places = room / piece
  const most = copies * places
  const carrying = 1 - (1 - Math.min(1, promptTokens / (piece * most))) ** most
  const chunk = Math.max(piece, Math.min(promptTokens / carrying, room * copies))
  const readers = Math.min(copies, chunk / piece)

  const { alone, mixed } = step
  alone.sequences = mixed.sequences = sequences * groups
  alone.contextTokens = mixed.contextTokens = meanContext(lengths)
  mixed.prefillTokens = chunk * groups
  mixed.prefillContextTokens = inputTokens / 2
  mixed.prefillCopies = readers * groups
  const decodeS = model.stepSeconds(alone)
  const promptS = model.stepSeconds(mixed) - decodeS
  step.mixedShare = carrying * others ** (1 - carrying)
  step.chunk = chunk
  step.stepS = decodeS + step.mixedShare * promptS

  const pieces = Math.ceil(inputTokens / room)
  const ownS = pieces * decodeS + (inputTokens * promptS) / piece
  // A prompt waits for the end of the step under way, of which it meets the longer ones more often, and then for a place in one: a copy has
  // so many, and so many of them are taken in the mean. As `waitSeconds` of the pools has it; nobody waits for more than all the others.
  const mixedS = decodeS + promptS
  const underWayS = (others * ((1 - step.mixedShare) * decodeS ** 2 + step.mixedShare * mixedS ** 2)) / (2 * step.stepS)
  const taken = ((others * promptTokens) / (room * copies)) * (promptS / step.stepS)
  const power = Math.sqrt(2 * (places + 1)) - 1 + 1 / pieces
  const queueS = (0.5 * ownS * taken ** power) / (places * (1 - taken))
  const longestS = Math.max(0, held / parallelism.dp - 1) * ownS
  // The last piece of a prompt leaves a pipeline pp − 1 slots after the first; the mean step counts one slot a piece.
  const { pp } = parallelism
  const throughS = (ownS * (2 * pp - 1)) / pp
  step.ttftS =
    model.waitFactor(load) * (model.arrivalSeconds(inputTokens) + underWayS + Math.min(queueS, longestS) + throughS)
}

/** The most requests a second whose prompts can be read, every step being full of them beside so many sequences. */
export function mostRequests(model: StepModel, { inputTokens }: Lengths, { alone, mixed }: MeanStep): number {
  const { maxBatchedTokens, parallelism } = model.configuration
  const { dp } = parallelism
  const prefillTokens = Math.max(dp, maxBatchedTokens * dp - alone.sequences)
  return prefillTokens / (inputTokens * model.stepSeconds({ ...mixed, prefillTokens, prefillCopies: dp }))
}
