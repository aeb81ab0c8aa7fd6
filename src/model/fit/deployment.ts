import type { Experts } from './line.ts'

/** What the server is, as far as the law's figures need it. GPUs are all of them, of all replicas. */
export interface Deployment {
  readonly gpus?: number
  readonly replicas?: number
  readonly lengths?: { readonly input: number; readonly output: number }
  /** Of a mixture of experts: then the law may have their term. */
  readonly experts?: Experts
  /** What the KV cache of the whole server holds. */
  readonly kvTokens?: number
  /** The points are of the pace that this share of their requests has at least. What the server makes is made for all, so no law of them says it. */
  readonly share?: number
}
