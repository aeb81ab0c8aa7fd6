import type { EnginePolicy } from '../engine/policy.ts'
import type { StepTime } from '../step/step-time.ts'

export const ROUTINGS = ['roundRobin', 'leastInFlight', 'leastTokens', 'prefixCache'] as const
/** To which replica a request goes when it comes. */
export type Routing = (typeof ROUTINGS)[number]

/** Replicas alike. */
export interface Pool {
  readonly name: string
  /** `both` reads prompts and writes answers; the others do one of the two, and a link joins them. */
  readonly role: 'both' | 'prefill' | 'decode'
  readonly replicas: number
  /** Engines of one replica, each with seats, cache and clock of its own; the one with the least of 4·waiting + running takes a request. */
  readonly dataParallel: number
  /** GPUs of one replica, all engines of it; absent: unknown. */
  readonly gpusPerReplica?: number
  readonly policy: EnginePolicy
  readonly stepTime: StepTime
}

/** Between a pool that reads prompts and one that writes answers. */
export interface TransferLink {
  /** Of each transfer. */
  readonly bytesPerSecond: number
  /** Transfers at once, each at the full rate; further ones wait, first come first served. */
  readonly concurrency: number
  /** Of KV cache, of one token over all layers. */
  readonly bytesPerToken: number
}

export interface Fleet {
  readonly pools: readonly Pool[]
  readonly routing: Routing
  /** Of `prefixCache`: a replica with more in flight than this many times the mean is passed over, however much of the prompt it holds. */
  readonly loadGuard?: number
  /** Where there are pools that read prompts only. */
  readonly link?: TransferLink
  /** What servers do with a request before its prompt can be read, in seconds; the request is routed after it. Absent: nothing. */
  readonly entrySeconds?: (promptTokens: number) => number
}
