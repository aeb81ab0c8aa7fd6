import type { Binding, ChosenPoint, LimitCause, PaceConfidence, Product, ServerSettings } from './choice.ts'
import type { CacheEffect, Day, Trough } from './day.ts'
import type { PlanEnergy } from './energy.ts'
import type { ErrorCode } from './errors.ts'
import type { PlanCheck } from './plan-check.ts'

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
  /** Of `serverLimit`, where the load is foretold. */
  readonly limitedBy?: LimitCause
  readonly reason: string
  /** For the stated mean. */
  readonly replicas: number
  /** What each of them will have: less than the chosen load, for replicas come whole. */
  readonly perReplica: ReplicaLoad
  /** With room for more than the mean: `peak` says for what, `headroom` by which share it is more than `inFlight`. */
  readonly replicasAtPeak?: number
  readonly headroom?: number
  readonly peak?: Peak
  /** Of the pace at the chosen load. */
  readonly confidence?: PaceConfidence
  /** What a replica must be told. */
  readonly settings?: ServerSettings
  /** What a simulation of the fleet says. */
  readonly check?: PlanCheck
  /** At rated power; where the GPUs and that are known. */
  readonly energy?: PlanEnergy
  /** Where a trace or a daily curve was given. */
  readonly day?: Day
  /** Where a trace says how prompts begin. */
  readonly cache?: CacheEffect
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
  /** Of several ways to serve, which this is. */
  readonly configuration?: string
  /** Of split pools; then a replica is an instance that answers, with its share of those that read. */
  readonly pools?: PlannedPools
  /** The best few of the others, in the order in which they would be taken. */
  readonly alternatives?: readonly PlanAlternative[]
  /** What of what was given is to be doubted, or was taken in a way that one may not expect: sentences. Absent: nothing. */
  readonly warnings?: readonly string[]
}

/** Prompts read by some instances, answers written by others: how many of each. */
export interface PlannedPools {
  readonly prefill: PlannedPool
  readonly decode: PlannedPool
  readonly link: { readonly name: string; readonly bytesPerSecond: number }
}

export interface PlannedPool {
  /** `TP4`, `TP1 DP8 EP8`. */
  readonly layout: string
  readonly gpusPerInstance: number
  readonly instances: number
  readonly instancesAtPeak?: number
  /** Of the most that it can take, what it takes at the mean. */
  readonly busy: number
}

/** Another way to serve the same, and why it is not taken. */
export interface PlanAlternative {
  readonly configuration: string
  /** False: no load of it holds the objective, and of what follows only the sentence is there. */
  readonly holds: boolean
  /** Both speeds, and the wait, at the load that it would be planned with. */
  readonly choice?: ChosenPoint
  readonly replicas?: number
  readonly replicasAtPeak?: number
  readonly pools?: PlannedPools
  readonly gpus?: number
  readonly gpusAtPeak?: number
  readonly completionS?: number
  readonly cost?: Cost
  readonly sentence: string
}

/** What `plan` prints of several products: pools of their own against one that all share. */
export interface FleetPlan {
  /** Of each product that can be planned, a pool of its own. */
  readonly plans: readonly Plan[]
  /** The pools of all that want a pace and have one, together. */
  readonly specialised?: FleetSize
  /** One pool for all that want a pace: as quick as the strictest of them. Absent where nothing holds that. */
  readonly shared?: SharedPlan
  readonly better?: 'specialised' | 'shared'
  /** Batches, each in what the fleet that is better leaves idle. */
  readonly fills?: readonly BatchFill[]
  /** To be bought for all that can be planned: the pools of the better way, and what batches take beside what those leave idle. */
  readonly total?: FleetSize
  /** Products that nothing holds. */
  readonly refused: readonly {
    readonly product: Product
    readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string }
  }[]
  /** Which of the two it is and why. */
  readonly sentence: string
  readonly arithmetic: readonly string[]
  /** What of what was given is to be doubted, or was taken in a way that one may not expect: sentences. Absent: nothing. */
  readonly warnings?: readonly string[]
}

export interface FleetSize {
  readonly gpus?: number
  readonly gpusAtPeak?: number
  readonly perHour?: number
  readonly perHourAtPeak?: number
  readonly sentence: string
}

export interface SharedPlan extends FleetSize {
  /** Of all requests together; its lengths are the means of them all. */
  readonly plan: Plan
  /** Products that the load of the strictest leaves more pace than they ask for. */
  readonly products: readonly {
    readonly name: string
    readonly arrivalsPerSecond: number
    readonly timeInSystemS: number
    readonly inFlight: number
    /** Pace at the shared load over the floor: 2 is twice what it asks for. */
    readonly paceOverFloor?: number
  }[]
}

/** A batch beside requests that somebody waits for, in what their fleet for the peak leaves idle. */
export interface BatchFill {
  readonly product: string
  /** Whose fleet that is: of one product, or of all that share it. */
  readonly pool: string
  /** Of the batch, in the mean. */
  readonly tokensPerSecond: number
  readonly completionS?: number
  /** Absent without a deadline. */
  readonly inTime?: boolean
  /** Of a fleet of its own that this takes the place of. */
  readonly gpusSaved?: number
  readonly trough: Trough
  readonly sentence: string
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

/** `poisson`: what `share` of the time no more than `inFlight` are in flight; `users`: the same of so many users; `day`: the same of a day; else what the user said. */
export interface Peak {
  readonly by: 'poisson' | 'users' | 'headroom' | 'rate' | 'day'
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
