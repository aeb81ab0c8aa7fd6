import type { Product } from './choice.ts'

/** What comes in the course of a day, or as long as a trace is, and what a fleet that has it is. */
export interface Day {
  readonly by: 'trace' | 'curve'
  /** How long it is: of a curve it begins anew then. */
  readonly lengthS: number
  /** In all of it; of a curve in the mean. */
  readonly requests: number
  /** In the mean, and in the instant of it that has most: of a curve its top. */
  readonly arrivalsPerSecond: number
  readonly mostArrivalsPerSecond: number
  /** In the mean; at the most (of a curve the mean at its top); and what is exceeded one hundredth of the time, of a curve at its top. */
  readonly inFlight: number
  readonly mostInFlight: number
  readonly peakInFlight: number
  /** At most 288, evenly apart: of 24 hours every five minutes. */
  readonly instants: readonly DayInstant[]
  /** For the peak, all the time. */
  readonly fixed: DayFleet
  /** As many as each instant asks for, ordered so early that they have started. */
  readonly following: DayFleet & { readonly startupS: number }
  /** Share of the replica-hours of the fixed fleet that the other does without. */
  readonly savedShare: number
  readonly sentence: string
}

/** From here to the next one. */
export interface DayInstant {
  readonly atS: number
  /** Means. */
  readonly arrivalsPerSecond: number
  readonly inFlight: number
  /** Of the fleet that follows the day: those that hold the instant's own peak, and those that are there, the starting ones too. */
  readonly neededReplicas: number
  readonly replicas: number
}

/** Over the whole length. */
export interface DayFleet {
  /** At most. */
  readonly replicas: number
  readonly replicaHours: number
  /** Absent while the GPUs of a replica are unknown. */
  readonly gpuHours?: number
  /** In the unit of the price that was given. */
  readonly cost?: number
}

/** How much of a batch goes into what an interactive fleet leaves over; the fleet is that of the peak, all the time. */
export interface Trough {
  /** The batch. */
  readonly product: Product
  readonly outputTokens: number
  /** Of the interactive product, in 24 hours. */
  readonly interactiveTokensPerDay: number
  /** Replicas that the interactive product sets free work on the batch alone, at the load that is best for it. */
  readonly whole: TroughWay
  /** Every replica is filled up with the batch to the load that the interactive product's floor allows. */
  readonly filled: TroughWay
  /** That makes more tokens a day; where there is a deadline, by then. */
  readonly better: 'whole' | 'filled'
  /** The interactive fleet. */
  readonly replicas: number
  /** A fleet that does nothing else and makes as many tokens, or holds the deadline of the batch: what need not be bought. */
  readonly own: { readonly replicas: number; readonly gpus?: number }
  readonly requests?: number
  readonly deadlineS?: number
  /** By the better way, from the start of the day on: when the requests are done, and whether the deadline is held. */
  readonly completionS?: number
  readonly holds?: boolean
  /** Where it is not: how many replicas more, for the batch alone, hold it. */
  readonly moreReplicas?: number
  readonly sentence: string
}

export interface TroughWay {
  /** In 24 hours. */
  readonly requestsPerDay: number
  readonly tokensPerDay: number
  /** Replicas that work on the batch alone, or batch requests in flight in the whole fleet; means over the day. */
  readonly replicas?: number
  readonly inFlight?: number
  /** In flight in a replica, of the batch and of others, and what each of the batch then gets; absent where the floor allows none of it. */
  readonly concurrency?: number
  readonly tokensPerSecondPerUser?: number
  /** From the end of one of the batch to that of the next, in a replica that has as many of it in flight as there are in the mean. */
  readonly everyS?: number
}

/** What it is worth to send prompts where their beginning has been read already: a trace on one fleet, three times. */
export interface CacheEffect {
  /** Requests that were played: the first of the trace, or of that share of it which as many replicas have. */
  readonly rows: number
  readonly replicas: number
  readonly playedOn: number
  /** Of requests, which are to have the floor and the first token in time. */
  readonly share: number
  /** Share of the prompt tokens that an endless cache of the whole fleet would give. */
  readonly repeatedShare: number
  /** False where nothing says what it takes to read a prompt: then only what is read less is told, not what that is worth. */
  readonly promptsCost: boolean
  /** No cache; a cache in each replica, requests in turn; the same, each request where most of its beginning is. */
  readonly ways: readonly CacheWay[]
  readonly sentence: string
}

export interface CacheWay {
  readonly cache: boolean
  readonly routing: 'leastInFlight' | 'roundRobin' | 'prefixCache'
  /** Share of the prompt tokens that were not read. */
  readonly cachedShare: number
  readonly ttftMs: { readonly p50: number; readonly p99: number }
  /** Share of the requests that had the whole objective. */
  readonly attainment: number
  /** The fewest that hold the share; absent where none that were tried do. */
  readonly replicas?: number
  readonly gpus?: number
}
