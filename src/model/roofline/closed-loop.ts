import type { Lengths } from './configuration.ts'
import type { Memory } from './memory.ts'
import type { Binding, Bound, StepModel, StepWork } from './step-model.ts'

/** What a replica gives with so many requests in flight, each followed at once by the next. */
export interface PredictedPoint {
  /** Requests in flight, of the replica. */
  readonly load: number
  /** Mean sequences that decode. */
  readonly batch: number
  readonly tokensPerSecondPerUser: number
  /** Of the whole replica. */
  readonly outputTokensPerSecond: number
  readonly ttftMs: number
  readonly tpotMs: number
  readonly binding: Binding
}

/** The mean step with so many sequences that decode, and what it follows from. Filled again and again. */
interface MeanStep {
  stepS: number
  ttftS: number
  /** Of steps, those that read prompts too. */
  mixedShare: number
  /** Prompt tokens in one of those. */
  chunk: number
}

type Work = { -readonly [Key in keyof StepWork]: StepWork[Key] }

/**
 * A closed loop in steady state, as every benchmark of a fixed concurrency is. C requests are in flight; n of them decode, the others are
 * in their prompts. A request makes D = N − 1 tokens after its first, so the replica ends X = n/(D·T) requests a second, and by Little's
 * law as many prompts of I tokens enter:
 *
 *     prompt tokens a step   p = X·I·T = n·I/D               (whatever T is)
 *     mean step              T = T(n) + p·(T(n, P) − T(n))/P  P prompt tokens in a step that has any: a whole prompt, within the budget
 *     in flight              C = n + X·TTFT
 *
 * which is solved for n; both sides rise with it. Where memory or a cap on sequences holds fewer than C, the rest waits, and TTFT is what
 * Little's law leaves over. An answer of one token has no pace; it is taken as one of two.
 */
export function closedLoop(model: StepModel, memory: Memory, lengths: Lengths, load: number): PredictedPoint {
  const { maxNumSeqs, maxBatchedTokens, parallelism } = model.configuration
  const decodeTokens = Math.max(1, lengths.outputTokens - 1)
  const held = Math.min(load, maxNumSeqs, memory.maxConcurrency)
  const budget = maxBatchedTokens * parallelism.dp
  // Where p fills what a step's budget leaves, prompts are read as fast as can be.
  const mostByBudget = budget / (1 + lengths.inputTokens / decodeTokens)
  const most = Math.min(held, mostByBudget)
  const step: MeanStep = { stepS: 0, ttftS: 0, mixedShare: 0, chunk: 0 }
  const work: Work = { sequences: 0, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0 }

  const inFlightAt = (batch: number): number => {
    meanStep(model, lengths, batch, held, budget, work, step)
    return batch * (1 + step.ttftS / (decodeTokens * step.stepS))
  }
  const atMost = inFlightAt(most)
  const batch = atMost <= held ? most : solve(inFlightAt, held, most, atMost)
  const { stepS } = step
  const requestsPerSecond = batch / (decodeTokens * stepS)
  const waiting = held < load || batch === most
  const ttftS = waiting ? Math.max(step.ttftS, load / requestsPerSecond - decodeTokens * stepS) : step.ttftS
  return {
    load,
    batch,
    tokensPerSecondPerUser: 1 / stepS,
    outputTokensPerSecond: requestsPerSecond * lengths.outputTokens,
    ttftMs: 1000 * ttftS,
    tpotMs: 1000 * stepS,
    binding: held < load ? 'capacity' : bindingOf(model, work, step),
  }
}

/** p: prompt tokens a step in the mean, so that as many requests begin as end. */
export function promptTokensOf({ inputTokens, outputTokens }: Lengths, batch: number): number {
  return (batch * inputTokens) / Math.max(1, outputTokens - 1)
}

/** P: prompt tokens of a step that has any; a whole prompt, or as many as come, within what the sequences leave of the budget. */
export function promptChunk(lengths: Lengths, batch: number, budget: number): number {
  return Math.min(Math.max(1, budget - batch), Math.max(lengths.inputTokens, promptTokensOf(lengths, batch)))
}

/** Fills `step`, and `work` with a step of decode alone. */
function meanStep(
  model: StepModel,
  lengths: Lengths,
  batch: number,
  held: number,
  budget: number,
  work: Work,
  step: MeanStep,
): void {
  const { inputTokens, outputTokens } = lengths
  const room = Math.max(1, budget - batch)
  const promptTokens = promptTokensOf(lengths, batch)
  const chunk = promptChunk(lengths, batch, budget)
  work.sequences = batch
  work.contextTokens = inputTokens + outputTokens / 2
  work.prefillTokens = chunk
  work.prefillContextTokens = inputTokens / 2
  const mixedS = model.stepSeconds(work)
  work.prefillTokens = 0
  const decodeS = model.stepSeconds(work)
  const perPromptTokenS = (mixedS - decodeS) / chunk
  step.chunk = chunk
  step.mixedShare = promptTokens / chunk
  step.stepS = decodeS + promptTokens * perPromptTokenS
  // A prompt waits for the end of a step, and behind those of the others: the time that prompts take of all time says how often it meets one.
  const busy = ((promptTokens * perPromptTokenS) / step.stepS) * Math.max(0, 1 - 1 / held)
  const ownS = Math.ceil(inputTokens / room) * decodeS + inputTokens * perPromptTokenS
  // The last piece of a prompt leaves a pipeline pp − 1 slots after the first; the mean step counts one slot a piece.
  const { pp } = model.configuration.parallelism
  const throughS = (ownS * (2 * pp - 1)) / pp
  step.ttftS = model.waitFactor * (model.arrivalSeconds(inputTokens) + step.stepS / 2 + throughS / (1 - busy))
}

/**
 * Where a function that rises from 0 reaches `target`, below `high`: false position, halving the side that stays (Illinois). The function
 * was last asked at the answer.
 */
function solve(rises: (x: number) => number, target: number, high: number, atHigh: number): number {
  let [a, b] = [0, high]
  let [fa, fb] = [-target, atHigh - target]
  let side = 0
  for (let round = 0; ; round++) {
    const x = round < 60 ? (a * fb - b * fa) / (fb - fa) : (a + b) / 2
    const fx = rises(x) - target
    if (Math.abs(fx) <= 1e-8 * target || round === 60) return x
    if (fx > 0) {
      ;[b, fb] = [x, fx]
      if (side > 0) fa /= 2
      side = 1
    } else {
      ;[a, fa] = [x, fx]
      if (side < 0) fb /= 2
      side = -1
    }
  }
}

/** What most of the mean step goes into, the engine's own overhead aside: it is there whatever one buys. */
export function bindingOf(
  model: StepModel,
  decode: StepWork,
  { mixedShare, chunk }: Pick<MeanStep, 'mixedShare' | 'chunk'>,
): Binding {
  const seconds: Record<Bound, number> = { weights: 0, kv: 0, compute: 0, communication: 0, overhead: 0 }
  model.tally(decode, 1 - mixedShare, seconds)
  if (mixedShare > 0) model.tally({ ...decode, prefillTokens: chunk }, mixedShare, seconds)
  let most: Exclude<Binding, 'capacity'> = 'weights'
  for (const kind of OTHERS) if (seconds[kind] > seconds[most]) most = kind
  return most
}

const OTHERS = ['kv', 'compute', 'communication'] as const
