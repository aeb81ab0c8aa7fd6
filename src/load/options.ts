import type { Load, Objectives, TwospeedError } from '../core/index.ts'
import type { PointProgress } from './point-runner.ts'
import type { Endpoint } from './target.ts'
import type { TransportOptions } from './transport.ts'

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
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Length of each point's window; default: max(30 s, 20 × mean time in system). */
  readonly durationS?: number
  /** Requests of each point, warm-up included, in place of a duration. */
  readonly requests?: number
  /** Unknown stays unknown: then there are no figures per GPU. */
  readonly gpus?: number
  readonly replicas?: number
  /** What it runs on, for a reader. */
  readonly hardwareName?: string
  readonly objectives?: Objectives
  readonly apiKey?: string
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
  /** No request of the run was answered: the run is kept, and this is what to say of it. */
  | { readonly kind: 'allFailed'; readonly error: TwospeedError }
