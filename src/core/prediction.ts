/** What a step's time goes into, or, with `capacity`, that there is no place for more sequences. */
export type PredictedBinding = 'weights' | 'kv' | 'compute' | 'communication' | 'capacity'

/** Both speeds at a load, from specifications alone or scaled by measurements of a neighbour. */
export interface PredictedLoad {
  /** Requests in flight, of all that is predicted. */
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
  /** Over all GPUs, those of both pools where there are two. */
  readonly tokensPerSecondPerGpu: number
  readonly source: 'predicted'
  /** Where the pace of eight measurements in ten would lie, in tok/s/user. */
  readonly low: number
  readonly high: number
  readonly class: Confidence['class']
  readonly ttftMs: number
  readonly tpotMs: number
  readonly binding: PredictedBinding
  /** How much of the step's time that takes; with `capacity`, what takes most of it. */
  readonly bindingShare: number
  /** In the currency of the price that was given. */
  readonly cost?: { readonly perMillionOutputTokens: number }
  /** At the rated power of the GPUs, so at most. Absent where the catalogue has none. */
  readonly energy?: { readonly joulesPerOutputToken: number }
  /** Of split pools. */
  readonly split?: {
    readonly transferMs: number
    readonly slowest: 'prefill' | 'decode' | 'link'
    readonly prefill: PredictedPoolRate
    readonly decode: PredictedPoolRate
  }
  /** Of a search: which configuration this is, such as `2 × TP4`. */
  readonly configuration?: string
  /** Of a search: the GPUs that it uses of the budget. */
  readonly gpus?: number
  /** Of a search: the whole budget, which cost and `tokensPerSecondPerGpu` are over; GPUs that it leaves idle count too. */
  readonly budgetGpus?: number
}

interface PredictedPoolRate {
  readonly gpus: number
  /** The most that it can. */
  readonly requestsPerSecond: number
  /** The share of that which this load asks for. */
  readonly busy: number
  /** Its own: input tokens read of the prefill pool, output tokens of the decode pool. */
  readonly tokensPerSecondPerGpu: number
}

/**
 * How far a prediction is to be trusted: `low` and `high` are factors on the pace that eight measured points in ten lie within. Of several
 * loads it is that of the least sure; of a search that of the line chosen, where a floor chose one.
 */
export interface Confidence {
  readonly class: 'interpolated' | 'newShape' | 'uncalibrated'
  readonly low: number
  readonly high: number
  /** The same of the time to the first token, in benchmarks that send all their first requests at once. */
  readonly ttft: { readonly low: number; readonly high: number }
}

/** What is predicted: a model, in a precision, with requests of these mean lengths. */
interface Predicted {
  readonly model: string
  readonly precision: string
  readonly kvPrecision: string
  readonly lengths: { readonly input: number; readonly output: number }
  readonly frontier: readonly PredictedLoad[]
  readonly confidence: Confidence
  /** How many measured points it was scaled by. */
  readonly calibratedBy?: number
  /** Sentences. */
  readonly explanation: readonly string[]
}

/** What `predict` prints: the frontier of a configuration that nobody ran. */
export interface Prediction extends Predicted {
  readonly hardware: {
    readonly name: string
    /** In all. */
    readonly gpus: number
    /** Of the replica; where pools are split, of one instance of the decode pool. */
    readonly tp: number
    readonly pp: number
    readonly ep: number
    readonly dp: number
  }
  readonly memory: {
    readonly weightBytesPerGpu: number
    readonly kvBytesPerToken: number
    readonly kvCapacityTokens: number
    readonly maxConcurrency: number
  }
  /** Tokens of a step from which arithmetic takes longer than reading the weights. */
  readonly ridgeTokens: number
  readonly pools?: PredictionPools
  /** Where the time of the mean step goes, at one of the loads. */
  readonly step?: {
    readonly concurrency: number
    readonly sequences: number
    readonly contextTokens: number
    /** In a step that carries any. */
    readonly promptTokens: number
    /** Of steps, those that do. */
    readonly promptShare: number
    readonly ms: number
    readonly parts: readonly PredictedPart[]
  }
}

/** One kind of work, over all layers, of the GPU that has most to do. */
export interface PredictedPart {
  readonly name: string
  /** In the mean, as the bytes and FLOPs. */
  readonly ms: number
  readonly decodeOnlyMs: number
  readonly withPromptMs: number
  readonly binds: string
  readonly bytes: number
  readonly flops: number
}

/** A step of one instance of a pool, which either reads prompts or decodes. */
export interface PredictedPoolStep {
  readonly sequences: number
  readonly contextTokens: number
  readonly promptTokens: number
  readonly ms: number
  readonly parts: readonly Omit<PredictedPart, 'decodeOnlyMs' | 'withPromptMs'>[]
}

/** Prompts read by some instances, answers written by others. */
export interface PredictionPools {
  readonly prefill: PredictedPool
  readonly decode: PredictedPool
  readonly link: { readonly name: string; readonly bytesPerSecond: number }
  /** Against replicas of the decode pool's own kind that do both: the pace from which on the other side gives more per GPU. */
  readonly crossings: readonly { readonly tokensPerSecondPerUser: number; readonly above: 'split' | 'colocated' }[]
  /** At the floor of pace that was asked for. */
  readonly atFloor?: {
    readonly tokensPerSecondPerUser: number
    readonly splitTokensPerSecondPerGpu?: number
    readonly colocatedTokensPerSecondPerGpu?: number
    /** The instances that give most per GPU there. */
    readonly matched?: { readonly prefill: number; readonly decode: number; readonly tokensPerSecondPerGpu: number }
  }
}

interface PredictedPool {
  readonly name: string
  /** Of all its instances. */
  readonly gpus: number
  /** Where the time of a step goes, at the greatest of the loads. */
  readonly step?: PredictedPoolStep
}

/** What `predict --search` prints: of all configurations of a number of GPUs, those that none is better than in both speeds. */
export interface PredictedSearch extends Predicted {
  readonly hardware: { readonly name: string; readonly gpus: number }
  readonly search: {
    readonly considered: number
    /** That many of them have not the memory. */
    readonly doNotFit: number
    /** Where no first token comes in the time that was asked for: the shortest that can be had, with one request alone. */
    readonly leastTtftMs?: number
  }
  /** Of the floor that was asked for: the one that gives most per GPU. */
  readonly best?: PredictedLoad
}
