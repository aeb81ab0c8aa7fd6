import { TwospeedError } from '../core/index.ts'
import type { Deployment } from '../model/index.ts'

export interface FitFlags {
  readonly points?: string
  readonly gpus?: number
  /** Of an MoE, how many experts each token takes, of how many. */
  readonly experts?: Deployment['experts']
  readonly model?: string
  readonly catalogue?: string
  readonly at?: readonly number[]
  readonly kvTokens?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly share?: number
  /** Of runs that were simulated with several. */
  readonly lane?: string
  readonly json?: true
  readonly markdown?: true
}

/** An output length alone says the pace of points that have waits and no pace; else it needs the length of prompts beside it. */
export const lengthsApart = (): TwospeedError =>
  new TwospeedError(
    'MISSING_VALUE',
    '--input-tokens and --output-tokens belong together',
    'Give both, or leave both out. --output-tokens alone is for points with ttftMs and no tokensPerSecondPerUser.',
  )
