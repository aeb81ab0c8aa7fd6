import type { Configuration } from '../roofline/configuration.ts'
import type { Memory } from '../roofline/memory.ts'
import { prefillSeconds } from '../roofline/prompt.ts'
import type { StepModel } from '../roofline/step-model.ts'

/** One instance that does nothing but read prompts. */
export interface PrefillInstance {
  readonly configuration: Configuration
  readonly memory: Memory
  /** From the start of a prompt to its end, with all places taken. */
  readonly seconds: number
  /** The most that it reads. */
  readonly requestsPerSecond: number
  /** Prompts read side by side, one for each data-parallel copy. */
  readonly places: number
}

/**
 * One prompt at a time for each data-parallel copy, or as many in one step as the token budget holds where that is quicker: short
 * prompts leave the arithmetic idle while the weights are read.
 */
export function prefillInstance(model: StepModel, memory: Memory, inputTokens: number): PrefillInstance {
  const { configuration } = model
  const { pp, dp: places } = configuration.parallelism
  const slotsS = prefillSeconds(model, inputTokens)
  const together = places * Math.max(1, Math.floor(configuration.maxBatchedTokens / inputTokens))
  const stepS = model.stepSeconds({
    sequences: 0,
    contextTokens: 0,
    prefillTokens: together * inputTokens,
    prefillContextTokens: inputTokens / 2,
  })
  // The last piece of a prompt leaves a pipeline pp − 1 slots after the first.
  const seconds = (slotsS * (2 * pp - 1)) / pp
  const requestsPerSecond = Math.max(places / slotsS, together / stepS)
  return { configuration, memory, seconds, requestsPerSecond, places }
}

/** How much of what it could take a prefill pool, or a link, is planned for: nearer to that the wait grows without bound. */
export const PREFILL_SHARE = 0.9

/** The most requests a second that instances read and send on, and which of the two it is that takes no more. */
export interface ReadingCapacity {
  readonly requestsPerSecond: number
  readonly by: 'prefill' | 'link'
}

/** Each instance, of either side, sends or takes one cache at a time. */
export function readingCapacity(
  { reader, transferS }: { readonly reader: PrefillInstance; readonly transferS: number },
  prefill: number,
  decode: number,
): ReadingCapacity {
  const read = prefill * reader.requestsPerSecond
  const sent = Math.min(prefill, decode) / transferS
  return read <= sent ? { requestsPerSecond: read, by: 'prefill' } : { requestsPerSecond: sent, by: 'link' }
}

/**
 * Mean wait for a place at `rate` prompts a second, out of `capacity` in all and with so many places. Prompts arrive as the streams
 * before them end, much like a Poisson stream, and take about equally long; half of what Sakasegawa's M/M/c gives is right for that
 * (Sakasegawa, "An approximation formula L_q ≃ αρ^β/(1−ρ)", 1977):
 *
 *     W = ½ · ρ^(√(2(c+1)) − 1) / (capacity · (1 − ρ)),  ρ = rate / capacity
 */
export function waitSeconds(rate: number, capacity: number, places: number): number {
  const busy = rate / capacity
  if (busy >= 1) return Number.POSITIVE_INFINITY
  return (0.5 * busy ** (Math.sqrt(2 * (places + 1)) - 1)) / (capacity * (1 - busy))
}
