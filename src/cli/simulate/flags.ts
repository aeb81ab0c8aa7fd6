import type { MeasureOptions } from '../../load/index.ts'
import type { Routing } from '../../sim/index.ts'
import type { LoadFlags } from './loads.ts'

/** What `simulate` can be told, times in seconds. */
export interface SimulateFlags extends PoolFlags, WorkFlags, LoadFlags {
  readonly lanes?: string
  readonly requests?: number
  readonly duration?: number
  readonly repeat?: number
  readonly find?: true
  readonly share?: number
  readonly floor?: number
  readonly ttft?: number
  readonly seed?: number
  readonly gpus?: number
  readonly route?: Routing
  readonly loadGuard?: number
  readonly prefill?: string
  readonly decode?: string
  readonly link?: string
  readonly linkConcurrency?: number
  readonly kvBytes?: number
  readonly streamInterval?: number
  readonly catalogue?: string
  readonly workers?: number
  readonly out?: string
  readonly json?: true
}

/** What a pool can be told; of a lanes file each by itself. */
export interface PoolFlags {
  readonly law?: string
  readonly model?: string
  readonly gpu?: string
  readonly tp?: number
  readonly pp?: number
  readonly ep?: number
  readonly dp?: number
  readonly precision?: string
  readonly kvPrecision?: string
  readonly replicas?: number
  readonly maxNumSeqs?: number
  readonly maxBatchedTokens?: number
  readonly kvTokens?: number
  readonly blockTokens?: number
  readonly prefillFirst?: true
  readonly reserve?: true
  readonly wholePrompt?: true
  readonly asyncScheduling?: true
  readonly prefixCache?: true
}

/** What requests are, as of `measure`; of a lanes file each lane by itself. */
export interface WorkFlags {
  readonly inputTokens?: number | string
  readonly outputTokens?: number | string
  readonly lengths?: string
  readonly prefixShare?: number
  readonly prefixes?: number
  readonly turns?: number
  readonly think?: MeasureOptions['think']
}
