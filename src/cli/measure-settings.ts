import type { MeasureOptions } from '../load/index.ts'

/** What `measure` can be told, by flags or by a `--config` file, times in seconds. */
export interface MeasureSettings {
  readonly url?: string
  readonly endpoint?: 'chat' | 'completions' | 'responses'
  readonly model?: string
  readonly concurrency?: readonly number[]
  /** Per second. */
  readonly rate?: readonly number[]
  readonly arrivalProcess?: MeasureOptions['arrivalProcess']
  readonly burstiness?: number
  readonly maxInFlight?: number
  readonly ramp?: number
  readonly think?: MeasureOptions['think']
  readonly inputTokens?: number | string
  readonly outputTokens?: number | string
  readonly lengths?: string
  readonly prefixShare?: number
  readonly prefixes?: number
  readonly turns?: number
  readonly prompts?: string
  readonly trace?: string
  readonly speedup?: number
  readonly temperature?: number
  readonly topP?: number
  /** JSON, or `@` and the file that holds it; in a config file also the object itself. */
  readonly extraBody?: string | Readonly<Record<string, unknown>>
  readonly duration?: number
  readonly requests?: number
  readonly repeat?: number
  readonly gpus?: number
  readonly replicas?: number
  readonly floor?: number
  readonly ttft?: number
  readonly find?: boolean
  readonly share?: number
  readonly sweep?: boolean
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
  readonly tokenizer?: string
  readonly workers?: number
  readonly busyPoll?: boolean
  readonly seed?: number
  readonly out?: string
  readonly strict?: boolean
}
