import { repeatable } from '../flags.ts'

/** What is asked of a server. */
export interface ProductFlags {
  readonly floor?: number
  /** Seconds. */
  readonly ttft?: number
  readonly share?: number
  readonly product?: readonly string[]
}

export const productOption = (): ReturnType<typeof repeatable> =>
  repeatable(
    '--product <name>',
    'chat, voice, code, agent, reasoning, batch, or a YAML file (floor, ttft, share; goal); several: a,b or the flag again',
  )
