/** What is asked of a server. */
export interface ProductFlags {
  readonly floor?: number
  /** Seconds. */
  readonly ttft?: number
  readonly share?: number
  readonly product?: string
}

export const PRODUCT_HELP = 'chat, voice, code, agent, reasoning, batch, or a YAML file (floor, ttft, share; goal)'
