import type { Load, Objectives, TwospeedError } from '../core/index.ts'
import type { TransportOptions } from './http/transport.ts'
import type { PointProgress } from './point/point-runner.ts'
import type { Endpoint } from './target/target.ts'

export interface MeasureOptions {
  /** As pasted: a host, host:port, `/v1`, an endpoint's full path, an Azure deployment. */
  readonly url: string
  readonly endpoint?: Endpoint
  /** Default: the only one that is served. */
  readonly model?: string
  /** Of what serves the model, where it is known; default: what `/models` says. */
  readonly engine?: string
  /** Loads, in the order to be measured. Default: 1, 2, 4, … until output grows by less than 3 %. */
  readonly concurrency?: readonly number[]
  /** Arrivals per second, in the order to be measured, in place of users. */
  readonly rates?: readonly number[]
  /** How they come; default Poisson. */
  readonly arrivalProcess?: 'constant' | 'poisson' | 'gamma'
  /** Shape of the gamma distribution of their gaps: 1 is Poisson, less comes in bursts, more is more even. */
  readonly burstiness?: number
  /** More are not sent at once: what is due waits for a connection, 10 s at most; then it is dropped. */
  readonly maxInFlight?: number
  /** The load comes up evenly over this long before warm-up is looked for. */
  readonly rampS?: number
  /** What a user of a closed loop lets pass between an answer and the next request; default distribution: constant. */
  readonly think?: { readonly meanS: number; readonly distribution?: 'constant' | 'exponential' }
  /** A number, or a distribution such as `uniform:100-200`, `normal:400,50`, `lognormal:400,0.6`: see `Lengths`. Default 512. */
  readonly inputTokens?: number | string
  /** The same; default 128, and of own prompts: where the model ends by itself. */
  readonly outputTokens?: number | string
  /** A CSV of input,output pairs to draw lengths from, in place of both. */
  readonly lengths?: string
  /** Which share of each prompt is one of so many beginnings that prompts have in common (1). */
  readonly prefixShare?: number
  readonly prefixes?: number
  /** Requests of a conversation: each after the first takes all that was said along. Closed loop only. */
  readonly turns?: number
  /** A file of own prompts, request bodies or ShareGPT conversations. */
  readonly prompts?: string
  /** A recorded load to be played, so many times as fast (1). */
  readonly trace?: { readonly path: string; readonly speedup?: number }
  readonly temperature?: number
  readonly topP?: number
  /** Fields of every body beside those that twospeed sets. */
  readonly extraBody?: Readonly<Record<string, unknown>>
  /** Length of each point's window; default: max(30 s, 20 × mean time in system). */
  readonly durationS?: number
  /** Requests of each point, warm-up included, in place of a duration. */
  readonly requests?: number
  /** How often each load is measured, in rounds over the run; default 1. */
  readonly repeat?: number
  /** Unknown stays unknown: then there are no figures per GPU. */
  readonly gpus?: number
  readonly replicas?: number
  /** What it runs on, for a reader. */
  readonly hardwareName?: string
  readonly objectives?: Objectives
  /**
   * Chooses the loads, users of a closed loop: `find` the highest that holds the objectives, in at most 6 points; `sweep` those that make
   * the whole frontier known to ± 3 %, at most 8.
   */
  readonly search?: 'find' | 'sweep'
  /** Of a find: the share of requests that must meet the objectives, failures as misses; absent: the typical request. */
  readonly share?: number
  readonly apiKey?: string
  /** Where the key was found, for a key that was not given by name; said when it is used. */
  readonly apiKeyFrom?: string
  /** Each `Name: value`; every value is taken for a secret. */
  readonly headers?: readonly string[]
  /** Certificates, and the environment in which proxies are looked up. */
  readonly transport?: TransportOptions
  /** How long a target that does not answer yet is waited for. */
  readonly waitS?: number
  /** Of the whole run. */
  readonly timeLimitS?: number
  readonly firstTokenTimeoutS?: number
  readonly idleTimeoutS?: number
  readonly requestTimeoutS?: number
  /** Default true. Without it nothing is sent but what is measured. */
  readonly preflight?: boolean
  /** A `tokenizer.json` or the folder that holds it: counts tokens where the server does not. */
  readonly tokenizer?: string
  /** Threads that read the answers; 0: the one that sends. Default: more while the load grows, as few as this machine was found to take. */
  readonly workers?: number
  /**
   * Whether the thread that reads may stay awake between tokens where another core is idle (default true): they are then timed as they
   * come, not when a sleeping core has woken.
   */
  readonly busyPoll?: boolean
  /** Of the prompts; default: a new one each time. */
  readonly seed?: number | string
  /** The run folder, which must not be there yet; default `runs/<time>-<model>`. */
  readonly out?: string
  /** Ends the run and keeps what was measured. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/** What a run tells while it goes on. Texts are redacted. */
export type Progress =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'status'; readonly text: string }
  | { readonly kind: 'folder'; readonly dir: string }
  | ({ readonly kind: 'point'; readonly load: Load } & PointProgress)
  | {
      readonly kind: 'pointDone'
      readonly load: Load
      readonly outputTokensPerSecond: number
      readonly reasons: readonly string[]
    }
  /** No request of the run was answered, or this client failed in the middle: the run is kept, and this is what to say of it. */
  | { readonly kind: 'allFailed'; readonly error: TwospeedError }
  /** No load holds the objective that was searched for: the run is kept. */
  | { readonly kind: 'notHeld'; readonly error: TwospeedError }
