import type { Binding, ChosenPoint, Product } from './choice.ts'

/** What requests a product brings, where its file says it: lengths are means. */
export interface ProductWork {
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Of a batch. */
  readonly requests?: number
  readonly deadlineS?: number
}

/** What ends a load, of a fleet: also the room for contexts, and of a batch its deadline. */
export type PlanBinding = Binding | 'kv' | 'deadline'

/** What `plan` prints: the load of a replica that a product wants, how many replicas hold what comes, and how that follows. */
export interface Plan {
  readonly product: Product & ProductWork
  /** λ, at the mean. Of a batch absent, as the next four are. */
  readonly arrivalsPerSecond?: number
  readonly users?: number
  readonly thinkS?: number
  /** W, at the chosen load. */
  readonly timeInSystemS?: number
  /** L = λ·W, of the whole fleet. */
  readonly inFlight?: number
  /** The load of what was measured at which the product is held, and both speeds there. */
  readonly choice: ChosenPoint
  readonly bindingConstraint: PlanBinding
  readonly reason: string
  /** For the stated mean. */
  readonly replicas: number
  /** What each of them will have: less than the chosen load, for replicas come whole. */
  readonly perReplica: ReplicaLoad
  /** With room for more than the mean: `peak` says for what, `headroom` by which share it is more than `inFlight`. */
  readonly replicasAtPeak?: number
  readonly headroom?: number
  readonly peak?: Peak
  /** Absent while the GPUs of a replica are unknown. */
  readonly gpus?: number
  readonly gpusAtPeak?: number
  /** Of a batch. */
  readonly requests?: number
  readonly completionS?: number
  readonly deadlineS?: number
  readonly inputTokens?: number
  readonly outputTokens: number
  readonly kv?: KvNeed
  readonly cost?: Cost
  /** Lines a person can follow. */
  readonly arithmetic: readonly string[]
  readonly breaksFirst: BreaksFirst
  /** What of this lies outside what was measured; empty where nothing does. */
  readonly extrapolated: readonly string[]
}

export interface ReplicaLoad {
  readonly inFlight: number
  readonly requestsPerSecond: number
  readonly timeInSystemS: number
  readonly tokensPerSecondPerUser: number
  /** Of the requests that come: less than it could make. */
  readonly outputTokensPerSecond: number
  readonly ttftMs?: number
  readonly source: ChosenPoint['source']
}

/** `poisson`: what `share` of the time no more than `inFlight` are in flight; else what the user said. */
export interface Peak {
  readonly by: 'poisson' | 'headroom' | 'rate'
  readonly inFlight: number
  readonly share?: number
  readonly arrivalsPerSecond?: number
}

/** Tokens of KV cache that those in flight hold in the mean: a prompt and half of an answer each. */
export interface KvNeed {
  readonly tokensPerRequest: number
  readonly tokens: number
  /** Of a replica at the chosen load. */
  readonly tokensPerReplica: number
  /** What the cache of a replica has room for, where that is told. */
  readonly capacityTokensPerReplica?: number
  readonly bytes?: number
}

/** In the unit of the price that was given. */
export interface Cost {
  readonly perHour: number
  /** Of the tokens made at the stated arrivals, not of those that could be. */
  readonly perMillionOutputTokens: number
  readonly perHourAtPeak?: number
  /** Of a batch, from its start to its end. */
  readonly total?: number
}

/** What the fleet of the mean misses first as more comes, and what twice as much does to it. */
export interface BreaksFirst {
  readonly what: PlanBinding
  /** The most that it holds; of a batch with a deadline the most requests. */
  readonly arrivalsPerSecond?: number
  readonly requests?: number
  readonly atDouble: AtDouble
  readonly sentence: string
}

export interface AtDouble {
  readonly holds: boolean
  readonly replicas?: number
  readonly completionS?: number
  /** More come than are answered: those in flight grow without end. */
  readonly overloaded?: true
  /** Absent where that load is not known. */
  readonly perReplica?: ReplicaLoad
}
