/** What `measure` can be told, by flags or by a `--config` file, times in seconds. */
export interface MeasureSettings {
  readonly url?: string
  readonly endpoint?: 'chat' | 'completions'
  readonly model?: string
  readonly concurrency?: readonly number[]
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly duration?: number
  readonly requests?: number
  readonly gpus?: number
  readonly replicas?: number
  readonly floor?: number
  readonly ttft?: number
  readonly apiKeyFile?: string
  readonly header?: readonly string[]
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly insecure?: boolean
  readonly wait?: number
  readonly timeLimit?: number
  readonly firstTokenTimeout?: number
  readonly idleTimeout?: number
  readonly requestTimeout?: number
  readonly preflight?: boolean
  readonly seed?: number
  readonly out?: string
  readonly strict?: boolean
}
