import type { Lengths } from './configuration.ts'
import { emptyMeanStep, fillMeanStep, type MeanStep, mostRequests } from './mean-step.ts'
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
  /** Of the mean step, what that takes; with `capacity`, what takes most. */
  readonly bindingShare: number
}

/**
 * A closed loop in steady state, as every benchmark of a fixed concurrency is. C requests are in flight; n of them decode, the others are
 * in their prompts. A request makes D = N − 1 tokens after its first, so the replica ends X = n/(D·T) requests a second, T being the mean
 * step that a stream lives through (`mean-step.ts`), and by Little's law as many prompts enter:
 *
 *     in flight   C = n + X·TTFT
 *
 * which is solved for n; both sides rise with it. Where memory or a cap on sequences holds fewer than C, the rest waits, and TTFT is what
 * Little's law leaves over. An answer of one token has no pace; it is taken as one of two.
 */
export function closedLoop(model: StepModel, memory: Memory, lengths: Lengths, load: number): PredictedPoint {
  const { step, held, free, isFull } = settled(model, memory, lengths, load)
  const { stepS } = step
  const answersS = Math.max(1, lengths.outputTokens - 1) * stepS
  // A stream meets no prompt of its own, but the replica reads it.
  const requestsPerSecond = Math.min(free / answersS, mostRequests(model, lengths, step))
  const batch = requestsPerSecond * answersS
  const waiting = held < load || isFull || batch < free
  const ttftS = waiting ? Math.max(step.ttftS, load / requestsPerSecond - answersS) : step.ttftS
  const { binding, bindingShare } = bindingOf(model, step.alone, step)
  return {
    load,
    batch,
    tokensPerSecondPerUser: 1 / stepS,
    outputTokensPerSecond: requestsPerSecond * lengths.outputTokens,
    ttftMs: 1000 * ttftS,
    tpotMs: 1000 * stepS,
    binding: held < load ? 'capacity' : binding,
    bindingShare,
  }
}

/** The mean step of the loop at a load. */
export function meanStepAt(model: StepModel, memory: Memory, lengths: Lengths, load: number): MeanStep {
  return settled(model, memory, lengths, load).step
}

interface Settled {
  readonly step: MeanStep
  /** Requests that have a place. */
  readonly held: number
  /** n, where prompts are read as they come. */
  readonly free: number
  /** Steps have no room for more prompts, or there are no places for more streams. */
  readonly isFull: boolean
}

function settled(model: StepModel, { maxConcurrency }: Memory, lengths: Lengths, load: number): Settled {
  const { maxBatchedTokens, maxNumSeqs, parallelism } = model.configuration
  const decodeTokens = Math.max(1, lengths.outputTokens - 1)
  const held = Math.min(load, maxNumSeqs, maxConcurrency)
  // Where prompts fill what a step's budget leaves, they are read as fast as can be.
  const mostByBudget = (maxBatchedTokens * parallelism.dp) / (1 + lengths.inputTokens / decodeTokens)
  const most = Math.min(held, mostByBudget)
  const step = emptyMeanStep()
  const inFlightAt = (batch: number): number => {
    fillMeanStep(model, lengths, batch, held, load, step)
    return batch * (1 + step.ttftS / (decodeTokens * step.stepS))
  }
  const atMost = inFlightAt(most)
  const isFull = atMost <= held
  return { step, held, free: isFull ? most : solve(inFlightAt, held, most, atMost), isFull }
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
  alone: StepWork,
  prompts?: Pick<MeanStep, 'mixed' | 'mixedShare'>,
): { readonly binding: Exclude<Binding, 'capacity'>; readonly bindingShare: number } {
  const seconds: Record<Bound, number> = { weights: 0, kv: 0, compute: 0, communication: 0, overhead: 0 }
  const { mixed, mixedShare } = prompts ?? { mixed: alone, mixedShare: 0 }
  model.tally(alone, 1 - mixedShare, seconds)
  if (mixedShare > 0) model.tally(mixed, mixedShare, seconds)
  let most: Exclude<Binding, 'capacity'> = 'weights'
  for (const kind of OTHERS) if (seconds[kind] > seconds[most]) most = kind
  const { weights, kv, compute, communication, overhead } = seconds
  return { binding: most, bindingShare: seconds[most] / (weights + kv + compute + communication + overhead) }
}

const OTHERS = ['kv', 'compute', 'communication'] as const
