import type { ErrorCode } from './errors.ts'
import type { Fit, FrontierPoint, Interval } from './run.ts'

/** What a product asks of a server. A pace product wants as many users as it can hold; a batch one wants tokens. */
export interface Product {
  readonly name: string
  readonly goal: 'pace' | 'throughput'
  /** The floor: tok/s/user. */
  readonly tokensPerSecond?: number
  readonly ttftMs?: number
  /** The share of requests that must get both; absent: the typical one. */
  readonly share?: number
  /** Where the figures come from. */
  readonly source?: string
}

/** A load to run at, and both speeds there. */
export interface ChosenPoint {
  /** Requests in flight. */
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  /** Of the whole server. */
  readonly outputTokensPerSecond: number
  /** Absent while the GPUs are unknown. */
  readonly tokensPerSecondPerGpu?: number
  readonly ttftMs?: number
  /** Of a run that is judged by a share of its requests: so many have this pace and this wait, or better. Absent: they are typical. */
  readonly share?: number
  /** Where a share is asked for, and this load was measured: the share of its requests that met the whole objective. */
  readonly attainment?: number
  readonly source: 'measured' | 'fitted' | 'extrapolated'
  /** Where a measurement of the pace would fall nine times in ten, where it was not measured. */
  readonly low?: number
  readonly high?: number
  /** Of several that there were to choose from: which, as its candidate is named. */
  readonly configuration?: string
  /** At this load, in the money of the price that was given. */
  readonly perMillionOutputTokens?: number
}

/**
 * What keeps the load from being greater: the floor of pace, the first token, failing requests, the server's own limit, the client's, that
 * nothing beyond was measured nor is foretold, or (for a batch product) that throughput is highest here.
 */
export type Binding = 'floor' | 'ttft' | 'failures' | 'serverLimit' | 'clientLimit' | 'measuredRange' | 'throughput'

/**
 * What the server's own limit is, where it is foretold: `kv`, the memory holds no more such requests; `engine`, it decodes no more at once; of
 * split pools `prefill`, those that read prompts, or `link`, what carries their cache on, are busy for as much of the time as is planned for.
 */
export type LimitCause = 'kv' | 'engine' | 'prefill' | 'link'

/** What `choose` prints, and what a search for a load finds: the point, why this one, and what lies around it. */
export interface Choice {
  readonly product: Product
  readonly choice: ChosenPoint
  readonly bindingConstraint: Binding
  /** Of `serverLimit`, where the load is foretold. */
  readonly limitedBy?: LimitCause
  /** Sentences. */
  readonly reason: string
  readonly fit: Fit
  readonly frontier: readonly FrontierPoint[]
  /** The measured loads next below and above, where there are. */
  readonly neighbours: readonly ChosenPoint[]
  /** The point against each neighbour. */
  readonly against?: readonly Against[]
  readonly priceOfPace?: PriceOfPace
  readonly settings?: ServerSettings
  readonly confidence?: PaceConfidence
  /** Of several candidates: what it went by, as a sentence. */
  readonly chosenBy?: {
    readonly what: 'perGpu' | 'money'
    /** Where those that hold it were measured with requests of other lengths each: those of each, tokens in the mean. Best first. */
    readonly lengths?: readonly { readonly configuration: string; readonly input: number; readonly output: number }[]
    readonly sentence: string
  }
  /** The other candidates, best first; those that do not hold come last, with how near they are. */
  readonly alternatives?: readonly Alternative[]
  /** What of what was given is to be doubted, or was taken in a way that one may not expect: sentences. Absent: nothing. */
  readonly warnings?: readonly string[]
}

/** What the chosen point has more (or, below 0, less) than a neighbour, as shares of what the neighbour has. */
export interface Against {
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
  readonly sentence: string
}

/** What a tenth more pace than at the chosen point costs. */
export interface PriceOfPace {
  /** Where a user has it; absent where no load gives it. */
  readonly point?: ChosenPoint
  /** Of tok/s/GPU, or of the whole server's tok/s while its GPUs are unknown; less than 0 where it is a gain. */
  readonly lostShare?: number
  readonly lostTokensPerSecondPerGpu?: number
  /** A million output tokens, before and after. */
  readonly perMillionOutputTokens?: { readonly before: number; readonly after: number }
  readonly sentence: string
}

/**
 * How sure the pace at the point is. `measured`: it was, at this load. `interpolated`: between loads that were. `newShape`: by measurements of
 * other lengths or of another layout. `uncalibrated`: by datasheets alone. `extrapolated`: by a law, outside what was measured.
 */
export interface PaceConfidence extends Partial<Interval> {
  readonly class: 'measured' | 'interpolated' | 'newShape' | 'uncalibrated' | 'extrapolated'
  readonly sentence: string
}

export type ServerEngine = 'vllm' | 'sglang' | 'tensorrt-llm' | 'llama.cpp' | 'ollama'

/** What a server must be told so that it holds the point. */
export interface ServerSettings {
  /** The most in flight that one server is to take: of one replica. */
  readonly inFlight: number
  /** Of each of a replica's copies of attention (data parallel), or of its instances that decode, where it has several. */
  readonly perCopy?: { readonly copies: number; readonly inFlight: number }
  /** Tokens of one step, those that decode included: what the prompts need in the mean, and what the floor leaves room for. */
  readonly stepTokens?: { readonly least: number; readonly most?: number }
  /** As each server names them; the one that was measured first. */
  readonly engines: readonly EngineSettings[]
  readonly sentences: readonly string[]
}

export interface EngineSettings {
  readonly engine: ServerEngine
  /** It is what was measured. */
  readonly measured?: true
  /** A name and a value each, as its command line or environment takes them. */
  readonly settings: Readonly<Record<string, number>>
  /** The same as one types it. */
  readonly command: string
  readonly notes: readonly string[]
}

export interface Alternative {
  readonly configuration: string
  /** Where it holds. */
  readonly choice?: ChosenPoint
  readonly bindingConstraint?: Binding
  /** Why it is behind, or why no load of it holds. */
  readonly sentence: string
}

/** What `choose` prints for several products: one answer each, and whether they are to share their servers. */
export interface ChoiceTable {
  readonly products: readonly ProductChoice[]
  /** Absent where fewer than two hold. */
  readonly pools?: PoolAdvice
  /** What of what was given is to be doubted, or was taken in a way that one may not expect: sentences. Absent: nothing. */
  readonly warnings?: readonly string[]
}

/** One that nothing holds has an error in place of an answer. */
export type ProductChoice = { readonly product: Product } & (
  | { readonly answer: Choice }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string } }
)

/** One pool for all products, which runs where the strictest of them holds, beside a pool for each. */
export interface PoolAdvice {
  readonly better: 'shared' | 'specialised'
  /** Of all output tokens, each product's; they sum to 1. */
  readonly shares: readonly { readonly product: string; readonly share: number }[]
  /** Absent where no load holds all: the products contradict one another. */
  readonly shared?: { readonly choice: ChosenPoint; readonly strictest: string }
  /** Over all products, each in its own pool at its own point. */
  readonly specialised: { readonly tokensPerSecondPerGpu?: number; readonly perMillionOutputTokens?: number }
  /** The share of the shared pool's GPUs (or of its money, where prices differ) that pools of their own save. */
  readonly gain?: number
  readonly sentence: string
}

/** How a run went that chose its loads by itself: `find` for the highest that holds its objective, `sweep` for the whole frontier. */
export interface Search {
  readonly kind: 'find' | 'sweep'
  /** In the order they were measured; of a find with what each said of the objective. `void`: neither, for its speed is not the server's. */
  readonly tried: readonly {
    readonly concurrency: number
    /** Where rates were tried: then `concurrency` is what was in flight. */
    readonly rate?: number
    readonly verdict?: 'holds' | 'misses' | 'void'
    readonly missed?: Binding
    readonly fault?: string
  }[]
  /** False where the run ended before the search did. */
  readonly finished: boolean
  /** Of a find: how far above the answer the load is that misses. Of a sweep: the worst that a load is foretold by the others. */
  readonly withinPct?: number
  /** Of a find by simulation: the greatest load that holds, and where the mean of endless seeds would lie 19 times in 20. */
  readonly found?: {
    readonly by: 'rate' | 'concurrency'
    readonly value: number
    readonly low: number
    readonly high: number
    readonly runs: number
  }
  /** Of a sweep: from 1 to here, why not further, and whether every load in it is known to ± 3 %. */
  readonly upTo?: number
  readonly endedBy?: 'gain' | 'tooShort' | Binding
  readonly known?: boolean
  /** All of it for a person. */
  readonly sentence: string
}
