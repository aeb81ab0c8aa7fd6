import { TwospeedError } from '../core/index.ts'

/** Of an MoE, how many experts each token takes, of how many. */
export interface Experts {
  readonly active: number
  readonly all: number
}

export interface FitFlags {
  readonly points?: string
  readonly gpus?: number
  readonly experts?: Experts
  readonly model?: string
  readonly catalogue?: string
  readonly at?: readonly number[]
  readonly kvTokens?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly share?: number
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
