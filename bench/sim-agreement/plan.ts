/** One load that is both measured and simulated. */
export interface AgreementPlan {
  /** What it shows. */
  readonly name: string
  readonly law: string
  readonly load: AgreementLoad
  /** As `measure` takes them. */
  readonly inputTokens: string
  readonly outputTokens: string
  readonly maxNumSeqs?: number
  readonly maxBatchedTokens?: number
  readonly kvTokens?: number
  readonly windowS: number
}

export type AgreementLoad =
  | { readonly kind: 'concurrency'; readonly users: number; readonly thinkS?: number }
  | { readonly kind: 'rate'; readonly perSecond: number }

/** Both sides draw their lengths, arrivals and pauses from it. */
export const SEED = 7
