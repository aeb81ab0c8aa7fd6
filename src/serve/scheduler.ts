import type { EngineLimits } from './engine.ts'

/**
 * Continuous batching, without a clock: which sequences take part in the next step, and with how many tokens.
 *
 * Decoding sequences go first, one token each. What is left of the step's token budget goes to prompts, first come first served, in
 * chunks; a sequence whose prompt ends in a step makes its first token in it. A request is admitted when a slot is free and the KV
 * cache has room for its prompt and its whole answer, so nothing that runs is ever pushed out again. The head of the queue is never
 * overtaken.
 */
export interface Sequence {
  readonly promptTokens: number
  /** The most output tokens. */
  readonly maxTokens: number
}

export interface Prefill<T> {
  readonly sequence: T
  /** The chunk is the prompt's tokens [from, from + count). */
  readonly from: number
  readonly count: number
  readonly last: boolean
}

export interface StepPlan<T> {
  /** Sequences that have their whole prompt behind them. */
  readonly decode: readonly T[]
  readonly prefill: readonly Prefill<T>[]
  /** Sequences that make a token in this step. */
  readonly batch: number
  readonly prefillTokens: number
  /** KV tokens that the sequences of `batch` hold. */
  readonly kvTokens: number
}

export interface Scheduler<T extends Sequence> {
  readonly running: number
  readonly waiting: number
  add(sequence: T): void
  /** Takes a sequence out, running or waiting. */
  remove(sequence: T): void
  /** The next step, or undefined when there is nothing to do. Every planned step must be carried out. */
  plan(): StepPlan<T> | undefined
}

interface Progress {
  prefilled: number
  made: number
}

export function createScheduler<T extends Sequence>(limits: EngineLimits): Scheduler<T> {
  const running = new Map<T, Progress>()
  const waiting = new Set<T>()
  // Each that runs has a token in every step, so that a step's budget bounds the batch too, and leaves every prompt room to go on.
  const mostRunning = Math.min(limits.maxNumSeqs, limits.maxBatchedTokens)
  let reservedKv = 0
  const kvOf = (sequence: T): number => sequence.promptTokens + sequence.maxTokens

  function admit(): void {
    for (const sequence of waiting) {
      if (running.size >= mostRunning || reservedKv + kvOf(sequence) > limits.kvTokens) return
      waiting.delete(sequence)
      running.set(sequence, { prefilled: 0, made: 0 })
      reservedKv += kvOf(sequence)
    }
  }

  return {
    get running() {
      return running.size
    },
    get waiting() {
      return waiting.size
    },
    add(sequence) {
      waiting.add(sequence)
    },
    remove(sequence) {
      if (running.delete(sequence)) reservedKv -= kvOf(sequence)
      else waiting.delete(sequence)
    },
    plan() {
      admit()
      if (running.size === 0) return undefined
      const decode: T[] = []
      const unfinished: [T, Progress][] = []
      let kvTokens = 0
      for (const entry of running) {
        const [sequence, progress] = entry
        if (progress.prefilled < sequence.promptTokens) {
          unfinished.push(entry)
          continue
        }
        decode.push(sequence)
        kvTokens += sequence.promptTokens + progress.made
        progress.made += 1
      }
      const prefill: Prefill<T>[] = []
      let batch = decode.length
      let prefillTokens = 0
      for (const [sequence, progress] of unfinished) {
        const room = limits.maxBatchedTokens - decode.length - prefillTokens
        const count = Math.min(room, sequence.promptTokens - progress.prefilled)
        if (count <= 0) break
        const from = progress.prefilled
        progress.prefilled += count
        prefillTokens += count
        const last = progress.prefilled === sequence.promptTokens
        prefill.push({ sequence, from, count, last })
        if (!last) continue
        batch += 1
        kvTokens += sequence.promptTokens
        progress.made += 1
      }
      return { decode, prefill, batch, prefillTokens, kvTokens }
    },
  }
}
