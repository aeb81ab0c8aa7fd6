import type { Choice, LimitCause, Search } from './choice.ts'
import type { ErrorKind, TokenSource } from './record.ts'
import type { SimulatedPoint } from './simulation.ts'

/** `run.json`: what was asked, on what, and the result of each point. Schema `twospeed/run@1`. */
export const RUN_SCHEMA = 'twospeed/run@1'

export interface Load {
  readonly kind: 'concurrency' | 'rate' | 'trace'
  readonly value: number
  /** Mean time that a user of a closed loop lets pass between an answer and the next request: then fewer than `value` are in flight. */
  readonly thinkS?: number
  /** Beside a rate: users of a closed loop who ask too, of other lanes. */
  readonly users?: number
}

export interface Window {
  readonly startS: number
  readonly endS: number
  readonly steady: boolean
  /** Why the point is not steady; empty when it is. Stable words, e.g. `littlesLaw`, `trend`, `windowTooShort`, `generatorSaturated`. */
  readonly reasons: readonly string[]
}

export interface Objectives {
  readonly ttftMs?: number
  readonly tpotMs?: number
  /** A pace floor, tok/s/user. */
  readonly tokensPerSecond?: number
}

export interface Hardware {
  /** Absent: unknown. Never a silent 1. */
  readonly gpus?: number
  readonly replicas?: number
  readonly prefillGpus?: number
  readonly decodeGpus?: number
  readonly name?: string
}

export interface Target {
  readonly url: string
  readonly model: string
  readonly engine?: string
}

/** Percentiles of a speed name the slow side: p10 = nine users in ten are at least this fast. A key without samples is absent. */
export interface SpeedSummary {
  readonly mean?: number
  readonly p1?: number
  readonly p5?: number
  readonly p10?: number
  readonly p50?: number
  readonly p90?: number
}

export interface LatencySummary {
  readonly mean?: number
  readonly p50?: number
  readonly p90?: number
  readonly p95?: number
  readonly p99?: number
  readonly max?: number
}

export interface LittlesLaw {
  readonly inFlight: number
  readonly completionsPerSecond: number
  readonly timeInSystemS?: number
  readonly residual?: number
  readonly decodeInFlight: number
  readonly decodeTokensPerSecondPerUser?: number
}

/** What only the generator can know of itself while it ran. Not recomputed from records, except `lateMs`. */
export interface Generator {
  readonly lateMs?: LatencySummary
  readonly eventLoopLagMs?: LatencySummary
  /** CPU time of the client over the window, in cores. */
  readonly cpu?: number
  /** Share of token-bearing reads that carried more than one event. */
  readonly sharedReads?: number
  readonly saturated?: boolean
  readonly why?: readonly string[]
  /** Each thread that read the answers, where they were others than the main one: the share of its time that it was busy, and its lag. */
  readonly workers?: readonly { readonly busy: number; readonly eventLoopLagMs?: LatencySummary }[]
  /** What the calibration of this machine trusts this client with, next to what was asked of it here. */
  readonly calibration?: {
    readonly workers: number
    readonly trusted: GeneratorLoad
    readonly asked: GeneratorLoad
    readonly beyond: boolean
  }
  /** By that calibration: how late a first token, and how far off a gap between tokens, one in a hundred may be. */
  readonly errorMs?: { readonly ttft: number; readonly itl: number }
}

/** What a load asks of a generator: answers that stream at once, and token-bearing events of all of them. */
export interface GeneratorLoad {
  readonly streams: number
  readonly eventsPerSecond: number
}

/** What a point must hold before its figures are computed; the least valid input of `report`. */
export interface PointHeader {
  readonly load: Load
  /** Which measurement of this load it is, counted from 0, where each load was measured several times. */
  readonly repeat?: number
  readonly window: Window
  readonly generator?: Generator
  /** Of a simulated point: what records do not tell. */
  readonly simulation?: SimulatedPoint
}

export interface Interval {
  readonly low: number
  readonly high: number
}

/** Where the figure of an endless window of the same load would lie 19 times in 20, by the scatter of so many batches of this one. */
export interface BatchInterval extends Interval {
  readonly batches: number
}

/**
 * The 95 % intervals of a point's figures, each at the place of its figure. One is absent where there is too little to tell it from: under
 * 10 batches or 10 answers, so much scatter that it would reach 0, a trace of under 20 times in system, or too few requests for the
 * percentile (a p99 takes some 400).
 */
export interface Intervals {
  readonly outputTokensPerSecond?: BatchInterval
  readonly perUser?: { readonly tokensPerSecond: { readonly p10?: BatchInterval; readonly p50?: BatchInterval } }
  readonly latency?: {
    readonly ttftMs?: { readonly p50?: BatchInterval; readonly p99?: BatchInterval }
    readonly tpotMs?: { readonly p50?: BatchInterval }
  }
  readonly littlesLaw?: { readonly inFlight?: BatchInterval; readonly decodeTokensPerSecondPerUser?: BatchInterval }
}

/** A figure that was not the same throughout the window: by over 5 %, and with less than one chance in 2000 that noise alone did it. */
export interface Trend {
  readonly figure: 'outputTokensPerSecond' | 'decodeTokensPerSecondPerUser'
  /** `slope`: it went one way throughout. `step`: it had one level before `atS`, another after. */
  readonly kind: 'slope' | 'step'
  /** From the window's start to its end, as a share of the mean: −0.1 is a fall of 10 %. */
  readonly change: number
  /** Where the step lies, on the run's clock. */
  readonly atS?: number
}

export interface Point extends PointHeader {
  readonly requests: {
    readonly sent: number
    readonly ok: number
    readonly failed: number
    readonly cancelled: number
    readonly dropped: number
    readonly errors: Readonly<Partial<Record<ErrorKind, number>>>
  }
  readonly tokens: { readonly input: number; readonly output: number; readonly source?: TokenSource | 'mixed' }
  readonly perUser: {
    readonly tokensPerSecond: SpeedSummary
    readonly endToEndTokensPerSecond: SpeedSummary
    readonly heldShare?: number
  }
  readonly goodput?: { readonly attainment: number; readonly requestsPerSecond: number }
  /** Over all GPUs, prefill and decode pools together; each pool's own work over its own GPUs beside it, where the pools are told. */
  readonly perGpu?: {
    readonly outputTokensPerSecond: number
    readonly totalTokensPerSecond: number
    readonly prefillPoolInputTokensPerSecond?: number
    readonly decodePoolOutputTokensPerSecond?: number
  }
  readonly outputTokensPerSecond: number
  readonly latency: {
    readonly ttftMs: LatencySummary
    readonly ttftFromScheduledMs?: LatencySummary
    readonly tpotMs: LatencySummary
    /** interval / (N − k), where a first event is known to bear k > 1 tokens: they took no gap, so TPOT spreads the rest too thin. */
    readonly tpotAfterFirstEventMs?: LatencySummary
    readonly itlMs: LatencySummary
    /** Each gap divided by the tokens of the event that ends it, where events are known to bear other than one token. */
    readonly itlPerTokenMs?: LatencySummary
    readonly e2eMs: LatencySummary
    readonly connectMs?: LatencySummary
  }
  readonly littlesLaw: LittlesLaw
  readonly intervals?: Intervals
  /** What changed through the window; absent where nothing did. Each makes the point unsteady, by the reason `trend`. */
  readonly trends?: readonly Trend[]
  readonly generator: Generator
  /** Things a reader must know that do not make the point unsteady, e.g. `outputShortfall`, `firstEventBundled`. */
  readonly notes?: readonly string[]
}

export interface FrontierPoint {
  /** Requests in flight. */
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  /** Of the whole server. */
  readonly outputTokensPerSecond: number
  readonly tokensPerSecondPerGpu?: number
  readonly source: 'measured' | 'fitted'
  /** Where a measurement at this load would fall nine times in ten, in tok/s/user. Neither end grows with load. Absent where no law fits, at the loads measured. */
  readonly low?: number
  readonly high?: number
  /** Of several candidates: whose point this is. */
  readonly configuration?: string
}

/** Which terms a law has beside a and b: of the experts a batch touches, of KV tokens read, of prompts read in the same step. */
export type LawName =
  | 'affine'
  | 'kv'
  | 'prefill'
  | 'kv+prefill'
  | 'expert'
  | 'expert+kv'
  | 'expert+prefill'
  | 'expert+kv+prefill'

export interface Fit {
  readonly law: LawName
  /** The law's terms, in ms. Absent where the points do not determine them: `why` says so. */
  readonly stepMs?: {
    readonly base: number
    readonly perSequence: number
    readonly perThousandKvTokens?: number
    readonly perPrefillToken?: number
    readonly experts?: { readonly active: number; readonly all: number; readonly ms: number }
  }
  /** In which the terms lie nine times in ten, from the scatter of the points about the law. */
  readonly stepMsInterval?: {
    readonly base: Interval
    readonly perSequence: Interval
    readonly perThousandKvTokens?: Interval
    readonly perPrefillToken?: Interval
    readonly experts?: Interval
  }
  readonly gpus?: number
  readonly replicas?: number
  /** The law is of the pace that this share of the requests has at least, in place of the mean. */
  readonly share?: number
  /** The least and the greatest batch that the fit stands on. */
  readonly range: { readonly min: number; readonly max: number }
  readonly lengths?: { readonly input: number; readonly output: number }
  /** 1/a. Absent where a is 0: then nothing limits it. */
  readonly soloLimitTokensPerSecond?: number
  /**
   * 1/b, of the whole server; the figure per GPU stands beside it where the GPUs are known. Absent where b is 0, or not told from it; and,
   * with all that follows from it, of a law of the pace that a share of the requests has, for what the server makes is made for all of them.
   */
  readonly ceilingTokensPerSecond?: number
  readonly ceilingTokensPerSecondPerGpu?: number
  /** a/b, the batch at which each speed is half its limit; of a law that is no straight line, at which throughput is half its ceiling. */
  readonly halfBatch?: number
  /** 1/T(1): what one user alone gets. */
  readonly soloTokensPerSecond?: number
  /**
   * Requests that come at a rate λ are kept up with while λ·OSL < 1/b, however many wait: the ceiling, as a rate of tokens and, where the
   * lengths are known, of requests. A cap on the batch ends it earlier.
   */
  readonly stability?: { readonly tokensPerSecond: number; readonly requestsPerSecond?: number }
  /**
   * −dy/du: tok/s of the server, and per GPU, given up for one tok/s/user more. On a straight line a/b everywhere; else it is that of the
   * batch that stands beside it.
   */
  readonly priceOfSpeed?: {
    readonly tokensPerSecond: number
    readonly tokensPerSecondPerGpu?: number
    readonly batch?: number
  }
  /** How many requests the KV cache holds at once, each with its prompt and half its answer in the mean. */
  readonly kvLimit?: { readonly tokens: number; readonly tokensPerRequest: number; readonly concurrency: number }
  /** The most that one replica was seen to decode at once, where loads beyond it were measured. */
  readonly serverLimit?: number
  /** What that is, where it is not seen but foretold. */
  readonly serverLimitBy?: LimitCause
  /** Points that the fit left out: index into the run's points or the file's rows, and why, in a stable word. */
  readonly setAside?: readonly { readonly point: number; readonly why: string }[]
  /** Root mean square relative error of the step time, in percent. */
  readonly errorPct: number
  /** What `errorPct` is of: loads that the fit did not see, where there are four or more; else those it did. */
  readonly errorFrom: 'leaveOneOut' | 'residual'
  /** The law was given, not fitted: its error is of points that it was not fitted to. */
  readonly given?: true
  readonly reliable: boolean
  /** Why it is not reliable, in words; empty where it is. */
  readonly why: readonly string[]
}

/** The part of `run.json` that is given; everything else in `Run` is computed from it and the records. */
export interface RunHeader {
  readonly schema: typeof RUN_SCHEMA
  readonly createdAt: string
  readonly twospeed: string
  readonly target: Target
  readonly hardware: Hardware
  readonly clock?: { readonly originNs: string; readonly wallIso: string }
  readonly workload: Readonly<Record<string, unknown>>
  readonly objectives?: Objectives
  readonly points: readonly PointHeader[]
  /** What a search by simulation found with several seeds, of which the records are of one. */
  readonly search?: Search
}

/** What the repeats of a load say of one figure together. */
export interface Repeated {
  readonly mean: number
  /** In which the mean of endless repeats would lie 19 times in 20, by Student's t on the repeats alone. */
  readonly low: number
  readonly high: number
  /** Mean half-width of the intervals of the single points, where they are known. */
  readonly within?: number
  /** Two of those intervals do not touch: something differed between the repeats that did not differ inside them. */
  readonly differ?: boolean
}

/** A load that was measured more than once. Pace and TTFT are medians. */
export interface RepeatedLoad {
  readonly load: Load
  /** Indices into the run's points. */
  readonly points: readonly number[]
  readonly outputTokensPerSecond?: Repeated
  readonly tokensPerSecondPerUser?: Repeated
  readonly ttftMs?: Repeated
}

export interface Run extends Omit<RunHeader, 'points'> {
  readonly points: readonly Point[]
  readonly repeats?: readonly RepeatedLoad[]
  readonly frontier?: readonly FrontierPoint[]
  readonly fit?: Fit
  /** Of a run that chose its loads by itself. */
  readonly search?: Search
  /** What it found, in the form of `choose`. */
  readonly choices?: readonly Choice[]
  /** How many bytes at the end of the records could not be read; absent where all could. */
  readonly unreadableBytes?: number
}
